"""Pages of the documents are followed: files are saved, commands run, outputs compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.warm_hosts import Hosts
from tests.support.pages import Saved, Typed, alike, follow, steps

ROOT = Path(__file__).resolve().parents[2]
IN_THE_EDITOR = ROOT / "docs" / "tutorial" / "editor.md"
"""Followed by tests/vscode/test_tutorial.py, in a real one."""

ALL = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [
    page for page in ALL if page != IN_THE_EDITOR and any(steps(page.read_text(encoding="utf-8")))
]


@pytest.mark.e2e
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_reader_sees_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "home" / "here"
    folder.mkdir(parents=True)
    (home / "understudy").symlink_to(ROOT)
    try:
        followed = follow(page.read_text(encoding="utf-8"), folder, home)
    finally:
        Hosts(home).end()  # what its commands leave behind
    for step, shown in followed:
        assert alike(shown) == alike(step.shown), step.command


PAGE = """Save this as `a/note.txt`:

```text
one
```

```console
$ cat a/note.txt
one
$ cd a && export NAME=two
$ for word in $NAME three; do
>   echo "$word"
> done
two
three
$ test -e gone
$ echo "exit code $?"
exit code 1
```

```sh
never run
```
"""


def test_a_page_is_read_as_its_reader_reads_it(tmp_path: Path) -> None:
    saved, *typed = steps(PAGE)
    assert saved == Saved("a/note.txt", "one\n")
    assert all(isinstance(step, Typed) for step in typed)
    followed = follow(PAGE, tmp_path, tmp_path)
    assert [step.command.split()[0] for step, _ in followed] == ["cat", "cd", "for", "test", "echo"]
    assert [shown for _, shown in followed] == [step.shown for step, _ in followed]


def test_another_output_is_seen(tmp_path: Path) -> None:
    changed = PAGE.replace("three\n$ test", "four\n$ test")
    assert any(
        alike(shown) != alike(step.shown) for step, shown in follow(changed, tmp_path, tmp_path)
    )


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        (
            "judged in 1.2 s [stamp 0123456789abcdef]",
            "judged in 30 s [stamp fedcba9876543210]",
            True,
        ),
        ("findings: 1 introduced", "findings: 2 introduced", False),
        ("b1  1 file, used 2026-11-23 06:52Z", "b1  1 file, used 2027-01-01 00:00Z", True),
        ("b1  1 file", "b2  1 file", False),
    ],
)
def test_outputs_are_alike_but_for_times_and_ids(one: str, other: str, is_alike: bool) -> None:
    assert (alike(one) == alike(other)) == is_alike
