"""Any change of a file as a git diff: `git apply` makes the very same of it."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from understudy.edits.render_binary import BinaryContent, any_diff

NAMES = ["a.bin", "dir/b c.txt", "über\n.x", 'q"uote', "-dash"]


def contents() -> st.SearchStrategy[BinaryContent | None]:
    data = st.one_of(
        st.binary(max_size=300),
        st.text(alphabet="ab\n\r é\x00", max_size=200).map(str.encode),
        st.sampled_from([b"", b"\xff\xfea\x00", b"\xef\xbb\xbfx\n", bytes(range(256)) * 40]),
    )
    files = st.builds(BinaryContent, data, st.sampled_from(["file", "executable"]))
    return st.one_of(st.none(), files, st.just(BinaryContent(b"some/where", "symlink")))


def put(folder: Path, name: str, content: BinaryContent | None) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        return
    if content.mode == "symlink":
        path.symlink_to(os.fsdecode(content.data))
        return
    path.write_bytes(content.data)
    path.chmod(0o755 if content.mode == "executable" else 0o644)


def found(folder: Path, name: str) -> BinaryContent | None:
    path = folder / name
    if path.is_symlink():
        return BinaryContent(os.fsencode(path.readlink()), "symlink")
    if not path.exists():
        return None
    runs = stat.S_IMODE(path.stat().st_mode) & 0o100
    return BinaryContent(path.read_bytes(), "executable" if runs else "file")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(contents(), contents(), st.sampled_from(NAMES))
def test_git_apply_agrees(
    tmp_path_factory: pytest.TempPathFactory,
    before: BinaryContent | None,
    after: BinaryContent | None,
    name: str,
) -> None:
    diff = any_diff(before, after, name)
    assert bool(diff) == (before != after)
    if not diff:
        return
    folder = tmp_path_factory.mktemp("apply")
    put(folder, name, before)
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=folder,
        input=diff,
        capture_output=True,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, (diff, done.stderr)
    assert found(folder, name) == after


def test_a_text_is_shown_as_text() -> None:
    diff = any_diff(BinaryContent(b"a\nb\n"), BinaryContent(b"a\nc\n"), "f.txt")
    assert (
        diff
        == b"diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )
