"""Pictures are small, shown, and drawn without anything from a network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.test_tidy import tracked
from tools.provision import ProvisionError
from tools.vsix import SHIPPED, without_pictures

ROOT = Path(__file__).resolve().parents[2]
PICTURES = sorted(name for name in tracked() if name.startswith("docs/pictures/"))
MOST_BYTES = 300_000


def linked(page: str) -> set[str]:
    """The pictures that a page shows, by their paths in the project."""
    text = (ROOT / page).read_text(encoding="utf-8")
    places = re.findall(r"!\[[^\]]+\]\(([^):]+)\)", text)
    below = (ROOT / page).parent
    return {(below / place).resolve().relative_to(ROOT).as_posix() for place in places}


def test_every_picture_is_small_and_shown_by_a_page() -> None:
    shown = set[str]().union(*(linked(name) for name in tracked() if name.endswith(".md")))
    assert PICTURES
    assert set(PICTURES) == {name for name in shown if name.startswith("docs/pictures/")}
    assert all((ROOT / name).stat().st_size <= MOST_BYTES for name in PICTURES)


def test_both_first_pages_show_at_least_two() -> None:
    for page in ("README.md", "client-vscode/README.md"):
        assert len(linked(page) & set(PICTURES)) >= 2, page


def test_a_drawing_loads_nothing() -> None:
    for name in PICTURES:
        if name.endswith(".svg"):
            text = (
                (ROOT / name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            )
            assert not re.findall(r"https?:|url\((?!#)|<script|@import", text)


def test_the_packaged_page_has_none_and_the_walkthrough_has_them() -> None:
    """An editor shows pictures of an extension's README from the web alone."""
    page = without_pictures((ROOT / "client-vscode" / "README.md").read_text(encoding="utf-8"))
    assert "![" not in page
    media = "client-vscode/media/walkthrough"
    shown = set[str]().union(*(linked(name) for name in tracked() if name.startswith(media)))
    assert {name for name in PICTURES if name.endswith(".png")} == shown
    assert {name.rpartition("/")[0] for name in shown} <= SHIPPED.keys()


def test_a_page_that_leads_to_a_file_beside_it_is_refused() -> None:
    assert without_pictures("[here](#start), [there](https://example.org)")
    with pytest.raises(ProvisionError, match=r"leads to \.\./docs/index\.md"):
        without_pictures("[docs](../docs/index.md)")
