"""The edits that other tests rehearse: the same for one seed, and exactly what they say."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.support.agreement import compare
from tests.support.edits import KINDS, Draft, GeneratedEdit, generate
from tests.support.file_edits import generate_files
from tests.support.kits import SAMPLES
from tests.support.oracle import Delta, Found, oracle_delta, settled
from tests.support.projects import project
from tests.support.release_edits import release_edits
from tests.support.sample import Language, Project
from tests.support.trees import applied
from understudy.edits.model import parse_edits
from understudy.values.findings import Finding
from understudy.values.positions import Position, Range
from understudy.values.verdicts import CheckReport, Hidden, Hider

LANGUAGES = sorted(SAMPLES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_seed_one_result(language: Language) -> None:
    first, again = project(language, 3), project(language, 3)
    assert first == again
    assert generate(first, 5, 40) == generate(again, 5, 40)
    assert generate(first, 5, 40) != generate(first, 6, 40)
    assert first.files != project(language, 4).files


@pytest.mark.parametrize("language", LANGUAGES)
def test_patches_give_the_new_texts(language: Language, tmp_path: Path) -> None:
    sample = project(language)
    for number, edit in enumerate(generate(sample, 2, 20)):
        folder = sample.write(tmp_path / str(number))
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=folder,
            input=edit.as_patch().encode(),
            check=True,
            timeout=60,
        )
        for path, text in edit.files.items():
            assert (folder / path).read_bytes() == text.encode(), edit.label


@pytest.mark.parametrize("language", LANGUAGES)
def test_file_edits_are_what_they_say(language: Language, tmp_path: Path) -> None:
    """As a patch, as a batch of edits, and as texts: all the same."""
    sample = project(language)
    edits = generate_files(sample, 2, 40)
    assert edits == generate_files(sample, 2, 40)
    assert {"created", "deleted", "renamed"} <= {edit.kind for edit in edits}
    for number, edit in enumerate(edits):
        after = {**sample.files, **edit.files}
        after = {path: text.encode() for path, text in after.items() if text is not None}
        folder = sample.write(tmp_path / str(number))
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=folder,
            input=edit.as_patch().encode(),
            check=True,
            timeout=60,
        )
        files = (path for path in folder.rglob("*") if path.is_file())
        found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
        assert found == after, edit.label
        assert applied(sample.files, parse_edits(edit.as_edits())) == after, edit.label


@pytest.mark.parametrize("language", LANGUAGES)
def test_origins_name_equal_lines(language: Language) -> None:
    sample = project(language)
    for edit in generate(sample, 7, 40) + generate_files(sample, 7, 40):
        for home, path in edit.homes().items():
            text = edit.files[path]
            assert text is not None
            old = (edit.before[home] or "").splitlines()
            lines = text.splitlines()
            assert len(lines) == len(edit.origins[path]), edit.label
            for line, origin in zip(lines, edit.origins[path], strict=True):
                assert origin is None or old[origin] == line, edit.label


def test_every_kind_is_drawn() -> None:
    drawn = Counter(edit.kind for edit in generate(project("python"), 1, 60))
    assert set(drawn) == set(KINDS)
    assert drawn["cross-file"] >= 60 / 3


SWAPS = [
    ("one\ntwo\nthree\n", "two", "2", [0, None, 2]),
    ("one\ntwo\nthree\n", "two\n", "", [0, 2]),
    ("one\ntwo\nthree\n", "two\n", "two\nnew\n", [0, 1, None, 2]),
    ("one\ntwo\nthree", "three", "3", [0, 1, None]),
    ("one\ntwo\n", "one\ntwo", "1\ntwo", [None, 1]),
]


@pytest.mark.parametrize(("text", "old", "new", "origins"), SWAPS)
def test_swap_keeps_track_of_lines(
    text: str, old: str, new: str, origins: list[int | None]
) -> None:
    draft = Draft(text)
    draft.swap(old, new)
    assert draft.text == text.replace(old, new)
    assert draft.origins == origins


def _edit(origins: list[int | None]) -> GeneratedEdit:
    """An edit of `a`, three lines before, with the given origins after."""
    after = "x\n" * len(origins)
    return GeneratedEdit("clean", "", {"a": after}, {"a": "x\n" * 3}, {"a": origins})


def _found(*places: tuple[str, int, str]) -> Counter[Found]:
    return Counter(Found(path, line, code, "error") for path, line, code in places)


DELTAS = [
    # (before, after, origins of a's lines, introduced, fixed)
    pytest.param([("a", 1, "E")], [("a", 2, "E")], [None, 0, 1, 2], [], [], id="moved down"),
    pytest.param([("a", 1, "E")], [("a", 1, "E")], [0, None, 2], [], [], id="on a rewritten line"),
    pytest.param([("a", 1, "E")], [], [0, 2], [], [("a", 1, "E")], id="deleted with its line"),
    pytest.param([("b", 1, "E")], [("b", 2, "E")], [0, 1, 2], [("b", 2, "E")], [("b", 1, "E")],
                 id="another line of an untouched file"),
    pytest.param([("b", 1, "E")], [("b", 1, "E"), ("b", 1, "E")], [0, 1, 2], [("b", 1, "E")], [],
                 id="twice where it was once"),
    pytest.param([("a", 3, "E")], [("a", 4, "E")], [None, 0, 1, 2], [], [], id="behind the end"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "origins", "introduced", "fixed"), DELTAS)
def test_oracle_delta(before, after, origins, introduced, fixed) -> None:
    edit = _edit(origins)
    delta = settled(oracle_delta(_found(*before), _found(*after), edit), edit)
    assert delta == Delta(Counter(introduced), Counter(fixed))


def test_mild_findings_do_not_count() -> None:
    mild = Counter([Found("a", 0, "I", "information")])
    delta = oracle_delta(Counter(), mild, _edit([0, 1, 2]))
    assert delta == Delta(Counter(), Counter())


def test_real_edits_name_the_larger_one_that_they_are_a_part_of() -> None:
    old = "".join(f"line {number}\n" for number in range(12))
    new = old.replace("line 2\n", "two\n" * 6).replace("line 9\n", "nine\n")
    before = Project(
        "python", {"a.py": old, "b.py": old, "gone.py": ""}, ("a.py", "b.py", "gone.py")
    )
    after = Project("python", {"a.py": new, "b.py": new}, ("a.py", "b.py"))
    edits = list(release_edits(before, after))
    found = {edit.label: edit.part_of and edit.part_of.label for edit in edits}
    assert found == {
        "a.py hunk 0": "a.py whole",
        "a.py hunk 0, first half": "a.py hunk 0",
        "a.py hunk 0, second half": "a.py hunk 0",
        "a.py hunk 1": "a.py whole",
        "a.py whole": "the whole release",
        "b.py hunk 0": "b.py whole",
        "b.py hunk 0, first half": "b.py hunk 0",
        "b.py hunk 0, second half": "b.py hunk 0",
        "b.py hunk 1": "b.py whole",
        "b.py whole": "the whole release",
        "the whole release": None,
    }
    assert {edit.label for edit in edits if edit.is_half} == {
        label for label in found if label.endswith("half")
    }


def _report(fixed: list[int], hidden: list[int]) -> CheckReport:
    """Of findings of `a` that are no longer said, by their lines before."""

    def gone(line: int) -> Finding:
        place = Range(Position(line, 0), Position(line, 1))
        return Finding("a", place, "error", "E", "s", "said", "s")

    by = Hider("a", None, "broken")
    return CheckReport(
        "clean", "", False, (), tuple(map(gone, fixed)), tuple(Hidden(gone(n), by) for n in hidden),
        (), 0, 0, 0, (), (), 0.0,
    )  # fmt: skip


GONE = [
    # (origins of a's lines, fixed, hidden, what the oracle says is fixed, what it leaves open)
    pytest.param([0, None], [1], [], [2], [], "right", id="either of two on rewritten lines"),
    pytest.param([0, None], [1], [], [1, 2], [], "wrong", id="one of two on rewritten lines"),
    pytest.param([0, 1, 2], [1], [], [2], [], "wrong", id="another line, which is kept"),
    pytest.param([0, 1, 2], [], [1], [1], [], "right", id="hidden is not said either"),
    pytest.param([0, 1, 2], [], [1], [], [1], "right", id="hidden where the oracle gave up"),
    pytest.param([0, 1, 2], [], [1], [], [], "wrong", id="hidden, and the oracle still says it"),
    pytest.param([0, 1, 2], [1], [], [], [1], "wrong", id="fixed where the oracle gave up"),
]


@pytest.mark.parametrize(("origins", "fixed", "hidden", "truly", "unsaid", "outcome"), GONE)
def test_what_is_gone_is_held_against_the_oracle(
    origins, fixed, hidden, truly, unsaid, outcome
) -> None:
    truth = Delta(Counter(), Counter(("a", line, "E") for line in truly))
    left_open = Counter(("a", line, "E") for line in unsaid)
    judged = compare(_edit(origins), _report(fixed, hidden), truth, left_open)
    assert judged.outcome == outcome, judged
