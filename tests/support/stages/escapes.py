"""Ways out of a stage by files, mounts, namespaces and other processes; none may work."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, processes_with, python, refused, sh
from understudy.stage.model import Additions

ATTACKS = (Path(__file__).parent / "attacks.py").read_text()


async def writes_through_links(field: Field) -> None:
    """Our own writes are not led out by what a command made on the stage."""
    async with field.stage() as stage:
        said = await sh(
            stage,
            'ln -s "$1" absolute; ln -s ../outside relative; ln -s "$1/victim" file;'
            "ln -s /proc/self/root magic; ln -s folder within; rm -r folder; ln -s / folder",
            str(field.outside),
        )
        assert said.ended.status == 0, said
        for path in ("absolute/victim", "relative/victim", "file", "folder/etc/hosts"):
            await refused(stage.write({path: b"written\n"}), "symlink")
        await refused(stage.write({f"magic{field.outside}/victim": b"x"}), "symlink")
        await refused(stage.write({"within/new.txt": b"x"}), "symlink")
        await refused(stage.write({"absolute/victim": None}), "symlink")
        await refused(stage.write({"../outside/victim": b"x"}), "symlink")
        await refused(stage.write({"folder/../../outside/victim": b"x"}), "symlink")
        await refused(stage.write({str(field.outside / "victim"): b"x"}), "outside-root")
        await refused(stage.write({"..": b"x"}), "outside-root")
        assert await stage.read("file") is None
        assert await stage.read("absolute/victim") is None
    assert (field.outside / "victim").read_text() == "as it was\n"


async def links_of_the_users_own(field: Field) -> None:
    """A link of the folder itself is followed as far as it stays inside, as edits see it."""
    async with field.stage() as stage:
        await stage.write({"alias/inner.txt": b"through\n", "other.txt": b"too\n"})
        assert await stage.read("folder/inner.txt") == b"through\n"
        assert (await sh(stage, "cat alias/inner.txt README")).text == "through\ntoo\n"
        assert (await stage.changes()).items == ()


def _links(field: Field) -> None:
    (field.project / "alias").symlink_to("folder")
    (field.project / "other.txt").symlink_to("README")


links_of_the_users_own.prepare = _links  # type: ignore[attr-defined]


async def system_calls(field: Field) -> None:
    """remount, umount, bind, nested namespaces, ptrace, /proc/1, devices, keys, handles."""
    async with field.stage() as stage:
        targets = {"root": str(field.project), "victim": str(field.outside / "victim")}
        said = await python(stage, ATTACKS, json.dumps(targets))
        assert said.ended.status == 0, said
        assert json.loads(said.text) == {"worked": []}, said.text
        assert (await sh(stage, "cat README")).text == "read me\n"


async def nobody_else_is_seen(field: Field) -> None:
    """Processes outside are neither listed nor signalled; pid 1 survives everything."""
    async with field.stage() as stage:
        said = await sh(stage, "kill -9 1; kill -9 -1; ls /proc | grep -c '^[0-9]'")
        assert int(said.text.split()[-1]) <= 4, said
        assert (await sh(stage, "echo alive")).text == "alive\n"
    assert not processes_with(str(field.project))


async def the_machine_is_read_only(field: Field) -> None:
    """Outside the folder, the home and /tmp nothing is written; the home's writes stay here."""
    async with field.stage() as stage:
        for folder in ("/", "/etc", "/usr", "/var", "/opt", "/sys/fs/cgroup"):
            said = await sh(stage, 'touch "$1/understudy-was-here"', folder)
            assert said.ended.status != 0, (folder, said)
        said = await sh(stage, 'cat "$1/victim"; echo x > ~/mine && cat ~/mine', str(field.outside))
        assert said.text.endswith("No such file or directory\nx\n"), said
    async with field.stage(added=Additions((field.outside,))) as stage:
        said = await sh(stage, 'echo x > "$1/victim" && cat "$1/victim"', str(field.outside))
        assert said.text == "x\n", said
    async with field.stage(visible=(field.outside,)) as stage:
        said = await sh(stage, 'cat "$1/victim"; echo x > "$1/victim"', str(field.outside))
        assert said.text.startswith("as it was\n"), said
        assert said.ended.status != 0, said
        said = await sh(stage, "echo 1 > /tmp/mine && cat /tmp/mine && ls /tmp")
        assert said.text.startswith("1\n"), said
    assert not (field.home / "mine").exists()
    assert not Path("/tmp/mine").exists()
    assert not Path("/etc/understudy-was-here").exists()


async def devices_elsewhere(field: Field) -> None:
    """A device file outside /dev opens no device."""
    async with field.stage(visible=(field.outside,)) as stage:
        script = 'cat < "$1/device" && echo opened; cat /dev/null'
        said = await sh(stage, script, str(field.outside))
        assert "opened" not in said.text, said
        assert "denied" in said.text, said


devices_elsewhere.not_as = ("user", "namespace-root")  # type: ignore[attr-defined]
devices_elsewhere.prepare = lambda field: os.mknod(  # type: ignore[attr-defined]
    field.outside / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3)
)


async def named_pipes(field: Field) -> None:
    """A read-only mount lets a pipe be written to; who reads it outside hears nothing."""
    pipe = os.open(field.outside / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        async with field.stage(visible=(field.outside,)) as stage:
            script = 'echo out | dd of="$1/pipe" oflag=nonblock conv=nocreat,notrunc'
            said = await sh(stage, script, str(field.outside))
            told = "named pipes" in " ".join(stage.isolation.notes)
            # In a home it is a pipe of the stage's own, which nobody reads.
            held = "denied" in said.text or "No such device" in said.text
            assert told or held, said
            said = await sh(stage, "mkfifo own && (cat own & echo in > own; wait)")
            assert said.text == "in\n", said
            assert told or os.read(pipe, 100) == b""
    finally:
        os.close(pipe)


def _pipe(field: Field) -> None:
    os.mkfifo(field.outside / "pipe")


named_pipes.prepare = _pipe  # type: ignore[attr-defined]


async def secrets_are_hidden(field: Field) -> None:
    """Keys in the home folder are not there, tokens are not in the environment."""
    async with field.stage() as stage:
        said = await sh(
            stage, "ls -A ~/.ssh ~/.aws ~/.gnupg; cat ~/.netrc; env; cat /proc/1/environ"
        )
        assert "hidden-secret" not in said.text, said
        assert "id_key" not in said.text, said
        assert "STAYS=" not in said.text, said
        assert "RUST_LOG=here" in said.text, said
        said = await sh(stage, "echo $GIVEN_TOKEN", env={"GIVEN_TOKEN": "meant for it"})
        assert said.text == "meant for it\n"


def _secrets(field: Field) -> None:
    for name in (".ssh/id_key", ".aws/credentials", ".gnupg/key", ".netrc"):
        path = field.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("hidden-secret\n")
    os.environ |= {"SOME_TOKEN": "hidden-secret", "AWS_SECRET": "hidden-secret"}
    os.environ |= {"STAYS": "x", "RUST_LOG": "here"}
    os.environ["OPENAI_API_KEY"] = "hidden-secret"


secrets_are_hidden.prepare = _secrets  # type: ignore[attr-defined]


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    writes_through_links,
    links_of_the_users_own,
    system_calls,
    nobody_else_is_seen,
    the_machine_is_read_only,
    devices_elsewhere,
    named_pipes,
    secrets_are_hidden,
)
