"""Which declarations matter most, and what a text mentions."""

import random
import subprocess
import sys
from collections.abc import Mapping

import pytest

from understudy.ranking.rank import MOST_PLACES, FileNames, rank, refocus
from understudy.ranking.references import MOST, family_of, references, telling


def python(path: str, text: str, *declared: str) -> FileNames:
    """A Python file that mentions what stands in the text."""
    return FileNames(path, "python", declared, *split(references(text.encode(), "python")))


def split(mentioned: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Names and their counts."""
    return list(mentioned), list(mentioned.values())


def names_of(files: list[FileNames], ranked=None) -> list[str]:
    """The names in their order."""
    order = rank(files) if ranked is None else ranked
    return [files[one.file].declared[one.entry] for one in order]


CORE = python("app/core.py", "", "Engine", ".start", "Unused")
USERS = [
    python(f"app/user{n}.py", "from app.core import Engine\n\nEngine().start()\n", f"use{n}")
    for n in range(4)
]


def test_what_many_mention_comes_first_and_what_nobody_mentions_is_not_ranked():
    files = [CORE, *USERS, python("app/main.py", "from app.user1 import use1\nuse1()\n")]
    assert names_of(files) == ["Engine", ".start", "use1"]


def test_weight_flows_on():
    """What an important file mentions is more important than what a forgotten one does."""
    core = python("core.py", "from base import Ground\nGround()\n", "Engine")
    lonely = python("lonely.py", "from other import Aside\nAside()\n")
    base, other = python("base.py", "", "Ground"), python("other.py", "", "Aside")
    users = [python(f"u{n}.py", "from core import Engine\nEngine()\n") for n in range(3)]
    order = names_of([other, base, core, lonely, *users])
    assert order.index("Ground") < order.index("Aside")


def test_a_name_means_the_file_it_was_imported_from():
    right, wrong = python("db/models.py", "", "Field"), python("ui/forms.py", "", "Field")
    user = python("main.py", "from db.models import Field\nField()\n")
    ranked = rank([right, wrong, user])
    assert [one.file for one in ranked] == [0]


def test_a_local_variable_means_no_function_elsewhere():
    message = python("mail.py", "", "message")
    user = python("main.py", "message = 1\nprint(message)\n")
    assert rank([message, user]) == []


def test_own_declarations_are_meant_first():
    files = [
        python("a.py", "from b import helper\n", "helper"),
        python("b.py", "", "helper"),
    ]
    assert rank(files) == []


def test_names_declared_everywhere_say_nothing():
    makers = [python(f"m{n}.py", "", "build") for n in range(MOST_PLACES + 1)]
    user = python("main.py", "from m0 import build\nbuild()\n")
    assert rank([*makers, user]) == []
    assert [one.file for one in rank([*makers[1:], makers[0], user])] == []
    assert len(rank([*makers[:3], user])) == 1


def test_languages_do_not_mix():
    mentioned = references(b"import { Engine } from './engine'\nEngine()\n", "javascript")
    files = [
        FileNames("engine.py", "python", ("Engine",), (), ()),
        FileNames("engine.ts", family_of("typescript"), ("Engine",), (), ()),
        FileNames("main.js", family_of("javascript"), (), *split(mentioned)),
    ]
    assert [one.file for one in rank(files)] == [1]


def test_files_of_a_folder_see_each_other_where_the_language_has_it_so():
    def go(path: str, text: bytes, *declared: str) -> FileNames:
        return FileNames(path, "go", declared, *split(references(text, "go")))

    near, far = go("p/near.go", b"", "Run"), go("q/far.go", b"", "Run")
    ranked = rank([near, far, go("p/main.go", b"func main() { Run() }")])
    assert [one.file for one in ranked] == [0]


def test_a_task_brings_what_its_files_mention_to_the_front():
    files = [
        *(CORE, *USERS),
        python("app/side.py", "", "Sidecar"),
        python("app/task.py", "from app.side import Sidecar\nSidecar()\n"),
    ]
    ranked = rank(files)
    assert names_of(files, ranked)[0] == "Engine"
    focused = refocus(ranked, files, frozenset({len(files) - 1}))
    assert names_of(files, focused)[0] == "Sidecar"
    assert sorted(names_of(files, focused)) == sorted(names_of(files, ranked))


def test_nothing_to_rank():
    assert rank([]) == []
    assert rank([python("a.py", "print(1)\n", "x")]) == []
    assert refocus([], [python("a.py", "import b\n")], frozenset({0})) == []


def test_ties_go_by_path_whatever_the_order_of_equal_weights():
    files = [
        python("zebra.py", "", "Zebra"),
        python("aardvark.py", "", "Aardvark"),
        python(
            "main.py", "from zebra import Zebra\nfrom aardvark import Aardvark\nZebra(Aardvark)\n"
        ),
    ]
    assert names_of(files) == ["Aardvark", "Zebra"]


def generated() -> list[FileNames]:
    chance = random.Random(5)
    names = [f"name_{n}" for n in range(60)]
    return [
        python(
            f"p{n % 7}/m{n}.py",
            "\n".join(
                f"from m{chance.randrange(40)} import {name}\n{name}()"
                for name in chance.sample(names, 12)
            ),
            *chance.sample(names, 3),
        )
        for n in range(40)
    ]


SCRIPT = "from tests.ranking.test_rank import generated; from understudy.ranking.rank import rank; "


def test_the_numbers_are_the_same_under_every_hash_seed():
    here = [tuple(one) for one in rank(generated())]
    assert len(here) > 20
    for seed in ("1", "2", "77"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT + "print([tuple(one) for one in rank(generated())])"],
            env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == str(here)


def test_weights_sum_to_one_at_most():
    assert 0 < sum(one.weight for one in rank(generated())) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("language", "text", "found", "not_found"),
    [
        ("python", "x = obj.method(Name)  # Comment\n'String' \"\"\"Doc\nDoc\"\"\"",
         {".method", "Name", "obj"}, {"Comment", "String", "Doc"}),
        ("python", "from a.bcd import (one,\n  two as three)\n",
         {"+one a bcd", "+two a bcd", "+three a bcd"}, {"+bcd"}),
        ("typescript", "import { One } from '../deep/file.js'; // Gone\nOne.two(`a`) /* Gone */",
         {"+One deep file js", "file", ".two"}, {"Gone"}),
        ("java", 'import org.acme.Tool;\nTool t = new Tool("Text");',
         {"+Tool org acme Tool", "Tool"}, {"Text"}),
        ("rust", "use crate::shapes::Square;\nfn f<'life>(s: &'life Square) { s.area() }",
         {"+Square crate shapes Square", ".area", "life"}, set()),
        ("c", '#include "list.h"\nnode->next = push(node);',
         {"list", ".next", "push", "node"}, set()),
        ("bash", 'source ./lib.sh # Comment\ncall_it "$text"', {"call_it"}, {"Comment"}),
        ("lua", "-- comment\nlocal m = require('mod')", {"mod", "require"}, {"comment"}),
        ("ruby", "require_relative 'shape'\nShape.new", {"shape", "Shape", ".new"}, set()),
    ],
)  # fmt: skip
def test_references(language: str, text: str, found: set[str], not_found: set[str]):
    names = references(text.encode(), language).keys()
    assert found <= names
    assert not not_found & names


def test_mentions_are_counted_up_to_a_limit():
    assert references(b"abc abc .abc ab", "python") == {"abc": 2, ".abc": 1}
    assert references(b"abc " * 1000, "python") == {"abc": MOST}


@pytest.mark.parametrize("junk", [b"", b"\xff\xfe\xfd" * 9, b'"' * 9999, b"'''", b"/*" * 9999])
def test_references_of_junk(junk: bytes):
    for language in ("python", "c", "javascript", "no-language"):
        assert all(len(name.lstrip(".+")) > 2 for name in references(junk, language))


def test_names_that_can_mean_no_other_file_are_left_out():
    text = b"from other import Engine, Own\nEngine().start(bare)\nself.own\nOwn()\n"
    mentioned = references(text, "python")
    kept = telling(mentioned, "python", ("Own", ".own"))
    assert list(kept) == ["Engine", ".start", "+Engine other", "+Own other"]
    assert [kept[name] for name in kept] == [mentioned[name] for name in kept]
    assert telling(mentioned, "go", ("Own",)) == mentioned
