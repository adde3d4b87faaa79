"""A rendered diff, read back, gives the very same bytes; `git apply` agrees."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.texts import file_texts, text_pairs
from tests.support.trees import MemoryTree, patched
from understudy.edits.batch import apply_edits
from understudy.edits.model import DiffEdit
from understudy.edits.render import unified_diff
from understudy.values.errors import BadInput
from understudy.values.texts import Text

PATHS = ["a.py", "src/a b.py", 'odd "name".py', "über/ñ.py", "a/b/x.py", "b/x", "t\tab\\.py"]


@settings(max_examples=400)
@given(text_pairs(), st.sampled_from(PATHS))
def test_a_changed_file(pair: tuple[Text, Text], path: str) -> None:
    before, after = pair
    diff = unified_diff(before, after, path)
    assert bool(diff) == (before != after)
    if diff:
        assert patched({path: before}, diff) == {path: after.encode()}
        assert patched({path: after}, unified_diff(after, before, path)) == {path: before.encode()}


@given(file_texts(), st.sampled_from(PATHS))
def test_a_new_and_a_deleted_file(text: Text, path: str) -> None:
    assert patched({}, unified_diff(None, text, path)) == {path: text.encode()}
    assert patched({path: text}, unified_diff(text, None, path)) == {}


@given(text_pairs(), st.sampled_from(PATHS))
def test_a_renamed_file(pair: tuple[Text, Text], path: str) -> None:
    before, after = pair
    tree = MemoryTree({path: before})
    diff = unified_diff(before, after, "to/new name.py", origin=path)
    changes = apply_edits([DiffEdit(diff)], tree)
    assert changes[path].after is None
    assert changes["to/new name.py"].after == after
    assert changes["to/new name.py"].origin == path


@given(text_pairs(), st.integers(1, 5))
def test_a_moved_hunk(pair: tuple[Text, Text], distance: int) -> None:
    before, after = pair
    head = "".join(f"new line {number}\n" for number in range(distance))
    diff = unified_diff(Text(before.content), Text(after.content), "f")
    if "\ufeff" in before.content + after.content or not diff or "\n-" not in diff:
        return
    moved = {"f": Text(head + before.content)}
    expected = {"f": Text(head + after.content).encode()}
    try:
        assert patched(moved, diff) == expected
    except BadInput as error:
        # Odd texts repeat themselves: then, and only then, the place is not known.
        if error.code != "hunk-ambiguous":
            raise


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text_pairs(), st.sampled_from(PATHS), st.sampled_from(["change", "add", "delete", "rename"]))
def test_git_apply_agrees(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[Text, Text], path: str, kind: str
) -> None:
    before, after = pair
    folder = tmp_path_factory.mktemp("git", numbered=True)
    old = None if kind == "add" else before
    new = None if kind == "delete" else after
    new_path = "to/new name.py" if kind == "rename" else path
    diff = unified_diff(old, new, new_path, path if kind == "rename" else None)
    if not diff:
        return
    if old is not None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(old.encode())
    git_apply(folder, diff)
    if new is None:
        assert not (folder / path).exists()
    else:
        assert (folder / new_path).read_bytes() == new.encode()


def git_apply(folder: Path, diff: str) -> None:
    environment = {
        **os.environ,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=folder,
        input=diff.encode("utf-8", "surrogateescape"),
        capture_output=True,
        env=environment,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
