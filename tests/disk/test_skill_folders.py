"""Skills: the specification to the letter, leniently as clients do, and folders that are traps."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from understudy.app.context.skills import index_skills, write_index
from understudy.context.skill_file import BadSkill, read_skill
from understudy.context.skill_index import SkillIndex
from understudy.disk.store.skill_folders import DEEPEST
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.workspace.context_place import ContextPlace

GOOD = "name: lint-first\ndescription: Lint before you apply.\n"


def text(head: str, body: str = "Do it.\n") -> str:
    return f"---\n{head}---\n{body}"


def both(head: str, folder: str = "lint-first") -> tuple[str | None, str]:
    """Why strict reading refuses it (None: it does not), and the description read leniently."""
    try:
        read_skill(text(head), folder, strict=True)
        why = None
    except BadSkill as error:
        why = str(error)
    try:
        return why, read_skill(text(head), folder, strict=False).description
    except BadSkill as error:
        return why, f"refused: {error}"


def test_a_skill() -> None:
    head = (
        GOOD + "license: MIT\ncompatibility: any\nallowed-tools: Read Bash(git:*)\n"
        "metadata:\n  author: me\n  version: '1.0'\n"
    )
    skill = read_skill(text(head, "# Title\n\n---\n\nText.\n"), "lint-first", strict=True)
    assert (skill.name, skill.description) == ("lint-first", "Lint before you apply.")
    assert skill.body == "# Title\n\n---\n\nText."


def test_dashes_in_a_value_do_not_end_the_frontmatter() -> None:
    head = "name: lint-first\ndescription: has --- dashes inside\n"
    assert both(head) == (None, "has --- dashes inside")


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("name: lint-first\ndescription: ok\ndisable-model-invocation: true\n", "unknown key"),
        ("name: Lint\ndescription: ok\n", "other characters"),
        ("name: -lint\ndescription: ok\n", "at an end"),
        ("name: li--nt\ndescription: ok\n", "at an end, or twice"),
        ("name: other\ndescription: ok\n", "not that of its folder"),
        (f"name: {'a' * 65}\ndescription: ok\n", "65 characters"),
        (GOOD + f"compatibility: {'c' * 501}\n", "501 characters"),
        (f"name: lint-first\ndescription: {'d' * 1025}\n", "1025 characters"),
        ("description: ok\n", "name is missing"),
        ("name: 5\ndescription: ok\n", "name is missing or no text"),
        (GOOD + "metadata: {a: 1}\n", "metadata is no table of texts"),
        (GOOD + "license: [MIT]\n", "license is no text"),
        (GOOD + "license: !!python/object/apply:os.system [id]\n", "tags"),
        ("name: lint-first\ndescription: Use when: there is a diff\n", "no YAML"),
    ],
)
def test_overlooked_by_clients_refused_by_the_specification(head: str, why: str) -> None:
    strict, description = both(head)
    assert strict is not None
    assert why in strict
    assert not description.startswith("refused")


def bomb() -> str:
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    return GOOD + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "head",
    [
        "name: lint-first\n", "name: lint-first\ndescription: ''\n", "", "- a list\n", "5\n",
        GOOD + "description: twice\n", bomb(), GOOD + "metadata: " + "[" * 500 + "\n",
        GOOD + "metadata: " + "[" * 300 + "]" * 300 + "\n", "a" * 70_000 + ": 1\n",
        "\t: {\n", GOOD + "x: *y\n",
        GOOD + "".join(f"k{n}: 1\n" for n in range(1500)), "? [a, b]\n: c\n",
    ],
)  # fmt: skip
def test_refused_by_both(head: str) -> None:
    strict, lenient = both(head)
    assert strict is not None
    assert lenient.startswith("refused: "), lenient


@pytest.mark.parametrize("raw", ["", "no frontmatter", "---\nname: x\n", " ---\nname: x\n---\n"])
def test_without_a_frontmatter(raw: str) -> None:
    with pytest.raises(BadSkill, match="---"):
        read_skill(raw, "x", strict=False)


def put(folder: Path, name: str, raw: str | None = None) -> Path:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(
        text(f"name: {name}\ndescription: From {folder.name}.\n") if raw is None else raw
    )
    return file


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "project").mkdir()
    return Root.open(tmp_path / "project")


def index(root: Root, home: Path, **options: object) -> SkillIndex:
    return index_skills(root, home=home, **{"trusted": True, **options})  # type: ignore[arg-type]


def test_the_order_of_the_folders_and_what_is_shadowed(root: Root, home: Path) -> None:
    user = put(home / ".agents/skills", "one")
    claude = put(root.path / ".claude/skills", "one")
    own = put(root.path / ".shop/skills", "one")
    put(home / ".claude/skills", "two")
    found = index(root, home)
    assert [(s.name, s.origin) for s in found.skills] == [("one", "project"), ("two", "user")]
    assert found.skills[0].file == str(claude)
    assert [p.file for p in found.problems] == [str(user)]
    assert index(root, home, client="shop").skills[0].file == str(own)
    assert found.static().split("\n")[1:3] == [
        f"- one: From skills. ({claude})",
        f"- two: From skills. ({home / '.claude/skills/two/SKILL.md'})",
    ]


def test_only_trusted_projects_are_read(root: Root, home: Path) -> None:
    put(root.path / ".agents/skills", "one")
    found = index(root, home, trusted=False)
    assert (found.skills, found.static()) == ((), "")
    assert "not trusted" in found.problems[0].text


def test_traps(root: Root, home: Path) -> None:
    skills = root.path / ".agents/skills"
    put(skills, "good")
    put(skills / "group", "below")
    put(skills / "good", "inner")
    put(skills / "node_modules", "package")
    put(skills / "/".join("abcdef"), "deep")
    put(skills, "binary").write_bytes(b"---\n\xff\n---\n")
    put(skills, "bad", "nothing")
    (skills / "good/loop").symlink_to(skills)
    (skills / "loop").symlink_to(skills)
    (skills / "dangling").symlink_to(skills / "gone")
    (skills / "fifo").mkdir()
    os.mkfifo(skills / "fifo/SKILL.md")
    found = index(root, home)
    assert [skill.name for skill in found.skills] == ["below", "good"]
    told = {Path(p.file).parent.name: p.text for p in found.problems}
    assert "not UTF-8" in told["binary"]
    assert "begin with a line" in told["bad"]
    assert "no file" in told["fifo"]
    assert any(f"deeper than {DEEPEST}" in p.text for p in found.problems)


def test_an_unchanged_index_writes_nothing(root: Root, home: Path, tmp_path: Path) -> None:
    put(home / ".agents/skills", "one")
    place = ContextPlace(tmp_path / "context", tmp_path / "user")
    write_index(place, index(root, home))
    file = place.store.folder / "skills/INDEX.md"
    before = file.stat()
    write_index(place, index(root, home))
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_names_that_no_client_has(root: Root, home: Path) -> None:
    for name in ("../x", "A", ""):
        with pytest.raises(BadInput):
            index(root, home, client=name)
