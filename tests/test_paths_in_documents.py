"""What the documents name is there: files and folders by their paths, targets by their links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.pages import Saved, steps
from understudy.values import toml
from understudy.workspace.triggers.catalogue import shipped_triggers

ROOT = Path(__file__).resolve().parent.parent
TOP = sorted(ROOT.glob("*.md"))
PAGES = [*TOP, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "client-vscode" / "README.md"]
PLACES = (
    ROOT,
    ROOT / "server" / "understudy",
    ROOT / "client-vscode" / "src",
    ROOT / "tests" / "data" / "demo",
)
"""Where a path begins that a page names."""

SOURCES = [
    *sorted((ROOT / "server" / "understudy").rglob("*.py")),
    *sorted((ROOT / "client-vscode" / "src").rglob("*.ts")),
]

HISTORY = "CHANGELOG.md"
"""Names what was there when it was written."""

RUN = (glob for kind in shipped_triggers().kinds.values() for glob in kind.files)
USERS = frozenset(("understudy.toml", "pyproject.toml", "config.toml", *RUN))
"""Files of the user that pages speak of."""

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"`((?:\w[\w.-]*/)*\w[\w.-]*(?:\.(?:py|ts|toml|scm)|/))`")
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(?:#([^)\s]+))?\)")


def named(text: str) -> set[str]:
    """The paths of a text that claim to be of the repository: source files, and its folders."""
    paths = set(_NAMED.findall(_FENCE.sub("", text))) - USERS
    return {path for path in paths if not path.endswith("/") or begins_here(path)}


def begins_here(folder: str) -> bool:
    """Whether a folder's first part is one of ours: others are the user's, or of the state."""
    first, _, rest = folder.partition("/")
    return bool(rest) and any((place / first).is_dir() for place in PLACES)


def exists(path: str) -> bool:
    """Whether it is there: from the top, the package or the client; a bare name anywhere."""
    if any((place / path).exists() for place in PLACES):
        return True
    return "/" not in path and any(any(place.rglob(path)) for place in PLACES[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    if page.name != HISTORY:
        text = page.read_text(encoding="utf-8")
        paths = named(text) - {step.path for step in steps(text) if isinstance(step, Saved)}
        assert sorted(path for path in paths if not exists(path)) == []


@pytest.mark.parametrize("page", TOP, ids=lambda page: page.name)
def test_links_of_the_top_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for path, anchor in _LINK.findall(text):
        target = page.parent / path
        assert target.exists(), path
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{path}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What the headings of a page can be linked by."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_an_installation_has_all_that_its_readme_links_to() -> None:
    project = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert {to.removeprefix("share/doc/understudy/") for to in shipped.values()} == set(shipped)
    for page in (ROOT / name for name in shipped if name.endswith(".md") and "/" not in name):
        for path, _ in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
            assert any(path == name or path.startswith(f"{name}/") for name in shipped), path


def test_comments_cite_pages_and_laws_that_are_there() -> None:
    laws = (ROOT / "docs" / "explanation" / "laws.md").read_text(encoding="utf-8")
    numbers = set(re.findall(r"^## Law (\d+):", laws, re.MULTILINE))
    missing: list[str] = []
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        pages = set(re.findall(r"\bdocs/[\w./-]+\.(?:md|toml|txt)\b", text))
        missing += [f"{source}: {page}" for page in pages if not (ROOT / page).is_file()]
        missing += [
            f"{source}: law {number}"
            for number in re.findall(r"\blaw (\d+)", text, re.IGNORECASE)
            if number not in numbers
        ]
        assert not re.search(r"\b(?:DESIGN|PROTOCOL\.md)\b", text), source
    assert missing == []


def test_the_map_has_the_floors_that_are_checked() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    floors: dict[int, set[str]] = {}
    for floor, folder in re.findall(r"^\| (\d+) \| `(\w+)/` \|", text, re.MULTILINE):
        floors.setdefault(int(floor), set()).add(folder)
    contracts = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(
        contract["layers"]
        for contract in contracts["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers" and "faces" in contract["layers"]
    )
    assert [floors[floor] for floor in sorted(floors, reverse=True)] == [
        set(layer.split(" | ")) for layer in layers
    ]


@pytest.mark.parametrize(
    ("path", "is_there"),
    [
        ("app/check/check.py", True),
        ("app/check.py", False),
        ("sights.py", True),
        ("no_such_module.py", False),
        ("tests/toys/", True),
    ],
)
def test_a_path_is_looked_for(path: str, is_there: bool) -> None:
    assert named(f"See `{path}`, and `workspace/applyEdit`.") == {path}
    assert exists(path) == is_there
