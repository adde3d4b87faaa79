"""Landlock: writes beneath the given places only, secrets unread, no TCP."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from tests.stage.fenced import answers
from understudy.stage.copy import landlock

PROGRAM = """
inside, outside, secret = sys.argv[2:5]
port = int(sys.argv[5])
readable = [sys.base_prefix, outside, os.path.dirname(secret) + "/beside"]
readable += ["/usr", "/lib", "/lib64", "/bin", "/etc"]
landlock.restrict([inside], readable, network="net" in sys.argv)
def write(path, mode="a"):
    with open(path, mode) as stream:
        stream.write("changed")
def read(path):
    with open(path) as stream:
        stream.read()
def connect():
    with socket.create_connection(("127.0.0.1", port), 5):
        pass
found = {
    "write inside": may(lambda: write(inside + "/file")),
    "make inside": may(lambda: write(inside + "/new")),
    "rename inside": may(lambda: os.rename(inside + "/new", inside + "/newer")),
    "folder inside": may(lambda: os.mkdir(inside + "/folder")),
    "append outside": may(lambda: write(outside + "/file")),
    "empty outside": may(lambda: write(outside + "/file", "w")),
    "make outside": may(lambda: write(outside + "/new")),
    "remove outside": may(lambda: os.unlink(outside + "/file")),
    "rename outside": may(lambda: os.rename(outside + "/file", inside + "/taken")),
    "link outside": may(lambda: os.link(outside + "/file", inside + "/linked")),
    "by a link": may(lambda: write(inside + "/link/file")),
    "read outside": may(lambda: read(outside + "/file")),
    "read secret": may(lambda: read(secret + "/key")),
    "read beside secret": may(lambda: read(os.path.dirname(secret) + "/beside")),
    "null": may(lambda: write("/dev/null")),
    "connect": may(connect),
    "signal": may(lambda: os.kill(os.getppid(), 0)),
    "child": subprocess.run(["sh", "-c", 'echo x >> "$0/file" || echo no', outside],
                            capture_output=True, text=True).stdout.strip(),
}
print(json.dumps(found))
"""
KEPT_OUT = ("append outside", "empty outside", "make outside", "remove outside", "by a link")


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path]:
    inside, outside, secret = tmp_path / "in side", tmp_path / "outside", tmp_path / "home" / ".key"
    for folder in (inside, outside, secret):
        folder.mkdir(parents=True)
    (inside / "file").write_text("a")
    (inside / "link").symlink_to(outside)
    (outside / "file").write_text("as it was")
    (secret / "key").write_text("secret")
    (tmp_path / "home" / "beside").write_text("open")
    return inside, outside, secret


@pytest.mark.parametrize("network", [False, True])
async def test_the_fence(places: tuple[Path, Path, Path], network: bool) -> None:
    if landlock.abi() == 0:
        with pytest.raises(OSError, match="Landlock") as caught:
            landlock.restrict([])
        assert caught.value.errno == errno.ENOSYS
        return
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        more = ["net"] if network else []
        found = await asyncio.to_thread(answers, PROGRAM, *places, str(port), *more)
    for name in ("write inside", "make inside", "rename inside", "folder inside", "null"):
        assert found[name] == "yes", name
    assert {name: found[name] for name in KEPT_OUT} == dict.fromkeys(KEPT_OUT, "EACCES")
    assert found["rename outside"] in ("EACCES", "EXDEV")
    assert found["link outside"] in ("EACCES", "EXDEV")
    assert (places[1] / "file").read_text() == "as it was"
    assert sorted(path.name for path in places[1].iterdir()) == ["file"]
    assert found["child"] == "no"
    assert found["read outside"] == found["read beside secret"] == "yes"
    assert found["read secret"] == "EACCES"
    assert found["connect"] == ("yes" if network or landlock.abi() < 4 else "EACCES")
    assert found["signal"] == ("EPERM" if landlock.abi() >= 6 else "yes")
