"""Places and variables that hold secrets, all of them made; then a command looks for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, python
from understudy.stage.copy.kind import CopyKind
from understudy.stage.inside import kernel
from understudy.stage.model import Command, Stage, StageLimits, StagePlan
from understudy.values import toml
from understudy.values.errors import BadInput
from understudy.workspace.stage_additions import named_places

SECRET = "hidden-secret"
_DATA = Path(__file__).parents[2] / "data/stage_secrets.toml"
_TOOLS: list[dict[str, Any]] = toml.loads(_DATA.read_text("utf-8"))["tool"]
HOME_PLACES: tuple[str, ...] = tuple(place for tool in _TOOLS for place in tool.get("home", ()))
MACHINE: tuple[str, ...] = tuple(place for tool in _TOOLS for place in tool.get("machine", ()))
VARIABLES: tuple[str, ...] = tuple(name for tool in _TOOLS for name in tool.get("variables", ()))

OTHERS = tuple(f"/{home}/.ssh/id" for home in ("home/other", "root"))

_LOOKER = """
import json, os, sys
found = {"read": [], "environment": []}
for path in json.load(open("places.json")):
    try:
        with open(path, "rb") as file:
            data = file.read(100000)
    except OSError:
        continue
    if b"hidden-secret" in data:
        found["read"].append(path)
found["environment"] = [name for name, value in os.environ.items() if "hidden-secret" in value]
print(json.dumps(found))
"""


def _write(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{SECRET}\n")
    except (NotADirectoryError, FileExistsError, IsADirectoryError):
        pass  # two tools keep a file and a folder of one name


def in_the_home(home: Path) -> list[str]:
    """Make every place of the list below a home."""
    for place in HOME_PLACES:
        _write(home / place)
    return [str(home / place) for place in HOME_PLACES]


async def _look(stage: Stage, places: Iterable[str]) -> dict[str, list[str]]:
    await stage.write({"places.json": json.dumps(list(places)).encode()})
    said = bytearray()
    command = Command((sys.executable, "-I", "-S", "-c", _LOOKER), limits=StageLimits(wall=60))
    ended = await stage.run(command, said.extend)
    assert ended.status == 0, said.decode("utf-8", "replace")
    return json.loads(said)


NOTHING: dict[str, list[str]] = {"read": [], "environment": []}


async def no_secret_of_the_home_is_read(field: Field) -> None:
    """However the folder lies to the home."""
    for root in (field.project, field.home / "code/deep/project"):
        async with field.stage(root) as stage:
            found = await _look(stage, in_the_home(field.home))
            assert found == NOTHING, str(found)[:500]


no_secret_of_the_home_is_read.prepare = lambda field: _prepared(field)  # type: ignore[attr-defined]


def _prepared(field: Field) -> None:
    assert len(HOME_PLACES) + len(MACHINE) >= 200
    assert len(VARIABLES) >= 150
    (field.home / "code/deep/project").mkdir(parents=True)
    in_the_home(field.home)
    os.environ.update(dict.fromkeys(VARIABLES, SECRET) | {"UNDERSTUDY_STATE_DIR": str(field.home)})
    os.environ["UNDERSTUDY_STATE_DIR"] = str(field.home / "state")


async def no_secret_variable_passes(field: Field) -> None:
    async with field.stage() as stage:
        assert (await _look(stage, ()))["environment"] == []


no_secret_variable_passes.prepare = _prepared  # type: ignore[attr-defined]


async def a_home_that_is_the_folder(field: Field) -> None:
    """Then what begins with a dot is hidden, but what belongs to a project."""
    places = in_the_home(field.home)
    dotted = [path for path in places if f"{field.home}/." in path]
    async with field.stage(field.home) as stage:
        found = await _look(stage, dotted)
        assert found["read"] == [], str(found)[:500]
        assert "holds the user's home" in " ".join(stage.isolation.notes)


a_home_that_is_the_folder.prepare = _prepared  # type: ignore[attr-defined]


async def secrets_that_are_mounts(field: Field) -> None:
    """A secret folder that is a file system of its own is hidden like any other."""
    mounted = [field.home / name for name in (".ssh", ".aws", ".kube")]
    for folder in mounted:
        folder.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "x", folder], check=True)
        (folder / "key").write_text(SECRET)
    try:
        async with field.stage() as stage:
            assert await _look(stage, [str(f / "key") for f in mounted]) == NOTHING
    finally:
        for folder in mounted:
            subprocess.run(["umount", folder], check=True)


secrets_that_are_mounts.not_as = ("user",)  # type: ignore[attr-defined]


async def no_secret_of_the_machine_is_read(field: Field) -> None:
    """Root's own stage: `/etc/shadow`, host keys, other homes, what services keep."""
    async with field.stage() as stage:
        found = await _look(stage, [*MACHINE, *OTHERS])
        assert found == NOTHING, str(found)[:500]
        said = await python(stage, "print(open('/etc/passwd').read())")
        assert "root:" in said.text


_WRITTEN = ("/etc", "/var", "/home", "/root", "/usr/local", "/srv", "/mnt")
_LAYERS = Path("/dev/shm")


def _machine(field: Field) -> None:
    """In a mount namespace of this process: a file system over each folder that is written to."""
    kernel.unshare(kernel.NEWNS)
    kernel.mount(None, b"/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    subprocess.run(["mount", "-t", "tmpfs", "x", _LAYERS], check=True)
    covered = [top for top in _WRITTEN if os.path.isdir(top)]
    for number, top in enumerate(covered):
        layer = _LAYERS / str(number)
        for name in ("upper", "work"):
            (layer / name).mkdir(parents=True)
        options = f"lowerdir={top},upperdir={layer}/upper,workdir={layer}/work"
        subprocess.run(["mount", "-t", "overlay", "-o", options, "x", top], check=True)
    for place in (*MACHINE, *OTHERS):
        # A link (`/var/run`) would lead out of what is this process' own.
        if os.path.realpath(place).startswith(tuple(f"{top}/" for top in covered)):
            _write(Path(place))
    assert SECRET in Path("/etc/sudoers.d/admin").read_text()


no_secret_of_the_machine_is_read.prepare = _machine  # type: ignore[attr-defined]
no_secret_of_the_machine_is_read.not_as = ("user", "namespace-root")  # type: ignore[attr-defined]


@asynccontextmanager
async def _copied(field: Field, root: Path) -> AsyncIterator[Stage]:
    kind = CopyKind(field.home / "copies")
    try:
        yield await kind.open(StagePlan(root))
    finally:
        await kind.close()


async def a_copy_reads_none_either(field: Field) -> None:
    """By Landlock; and settings without their secrets are in a home of the copy's own."""
    (field.home / ".gitconfig").write_text(f"[user]\nname = Me\n[github]\ntoken = {SECRET}\n")
    (field.home / ".cargo/registry").mkdir(parents=True)
    (field.home / ".cargo/registry/one").write_text("kept")
    places = [place for place in MACHINE if os.access(place, os.R_OK)]
    async with _copied(field, field.project) as stage:
        found = await _look(stage, [*in_the_home(field.home), str(field.home / ".gitconfig")])
        assert found == NOTHING, str(found)[:500]
        assert "can be listed" in " ".join(stage.isolation.notes)
        await stage.write({"places.json": json.dumps(places).encode()})
        said = bytearray()
        script = 'cat ~/.gitconfig ~/.cargo/registry/one; cat "$@" | wc -c'
        await stage.run(Command(("sh", "-c", script, "sh", *places)), said.extend, lambda _: None)
        lines = said.decode().splitlines()
        assert lines[:2] == ["[user]", "name = Me"], lines
        assert lines[2] == "kept0", lines


a_copy_reads_none_either.prepare = _prepared  # type: ignore[attr-defined]


async def a_copy_of_the_home_has_none(field: Field) -> None:
    async with _copied(field, field.home / "code") as stage:
        assert (await _look(stage, in_the_home(field.home)))["read"] == []
    dotted = [place for place in HOME_PLACES if place.startswith(".")]
    kind = CopyKind(field.home.parent / f"{field.home.name}-copies")
    try:
        stage = await kind.open(StagePlan(field.home))
        found = await _look(stage, [str(stage.root / place) for place in dotted])
        assert found["read"] == [], str(found)[:500]
    finally:
        await kind.close()


a_copy_of_the_home_has_none.prepare = _prepared  # type: ignore[attr-defined]
a_copy_of_the_home_has_none.not_as = ("user", "namespace-root")  # type: ignore[attr-defined]


async def a_place_of_another_user(field: Field) -> None:
    """It cannot be named to be shown by who could not read it himself."""
    environ = {"HOME": str(field.home)}
    (field.home / "other").mkdir()
    (field.home / "other").chmod(0)
    codes = [_code_of(place, environ) for place in ("/root", str(field.home / "other"))]
    assert codes == ["unreadable-place"] * 2, codes


def _code_of(place: str, environ: dict[str, str]) -> str:
    try:
        named_places([place], environ, "--home")
    except BadInput as error:
        return error.code
    return "shown"


a_place_of_another_user.not_as = ("namespace-root", "root")  # type: ignore[attr-defined]


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    no_secret_of_the_home_is_read,
    no_secret_variable_passes,
    a_home_that_is_the_folder,
    secrets_that_are_mounts,
    no_secret_of_the_machine_is_read,
    a_copy_reads_none_either,
    a_copy_of_the_home_has_none,
    a_place_of_another_user,
)
