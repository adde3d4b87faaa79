"""The real servers: every answer is about the snapshot that was asked, or is no answer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.langserver.benches import (
    SECONDS,
    Bench,
    assert_marked,
    bench_of,
    branches_stay_apart,
    by_id,
    dependencies_count,
    serious,
)
from tests.langserver.worlds import soon, write
from tests.support.kit import Kit
from tests.support.kits import KITS

pytestmark = pytest.mark.real


@pytest.mark.parametrize("kit", KITS, ids=by_id)
async def test_every_answer_is_about_what_was_asked(kit: Kit, tmp_path: Path) -> None:
    """One server of each kit lives through all of it; in the end it is killed."""
    async with bench_of(kit, tmp_path) as bench:
        await branches_stay_apart(bench)
        await broken_syntax_and_back(bench)
        if kit.cross is not None:
            await dependencies_count(bench)
            await older_views_are_judged_as_they_were(bench)
            as_at_first(bench)
            await files_change_come_and_go_on_disk(bench)
            as_at_first(bench)
        await killed_servers_are_replaced(bench)


async def broken_syntax_and_back(bench: Bench) -> None:
    kit = bench.kit
    clean = bench.world.snapshot()
    assert_marked(await bench.judge(clean), kit, None)
    broken = bench.world.snapshot({kit.path: kit.broken})
    if kit.overrides.get("rule") == "canary":
        # Whether the canary is seen depends on what is broken; silence is never clean.
        answer = await bench.judge(broken, seconds=2)
        assert answer.reason is not None or serious(answer)
    else:
        assert serious(await bench.judge(broken))
    assert_marked(await bench.judge(clean), kit, None)
    shifted = bench.world.snapshot({kit.path: kit.files[kit.path] + "\n"})
    assert_marked(await bench.judge(shifted), kit, None)


async def older_views_are_judged_as_they_were(bench: Bench) -> None:
    cross, world = bench.kit.cross, bench.world
    assert cross is not None
    before = world.snapshot()
    assert before.read(cross.dependency) is not None  # pinned, as a checkpoint does
    write(world.root.path / cross.dependency, cross.bad(1))
    world.rescan()
    after = world.snapshot()
    for _ in range(2):
        assert serious(await bench.judge(before, cross.importer)) == []
        assert len(serious(await bench.judge(after, cross.importer))) == 1
    write(world.root.path / cross.dependency, cross.good(2))
    world.rescan()  # it sees `after` still, of which the disk goes on
    assert len(serious(await bench.judge(after, cross.importer))) == 1
    assert serious(await bench.judge(world.snapshot(), cross.importer)) == []


async def files_change_come_and_go_on_disk(bench: Bench) -> None:
    cross, world = bench.kit.cross, bench.world
    assert cross is not None
    folder = world.root.path
    assert serious(await bench.judge(world.snapshot(), cross.importer)) == []
    for i in range(3):
        for text, n_findings in ((cross.bad(i), 1), (cross.good(i + 100), 0)):
            write(folder / cross.dependency, text)
            world.rescan()
            answer = await bench.judge(world.snapshot(), cross.importer)
            assert len(serious(answer)) == n_findings
        if not cross.created:
            continue
        for exists in (True, False):
            created = folder / cross.created
            write(created, _created(cross.created, i)) if exists else created.unlink()
            world.rescan()
            answer = await bench.judge(world.snapshot(), cross.missing)
            assert bool(serious(answer)) is not exists


async def killed_servers_are_replaced(bench: Bench) -> None:
    kit = bench.kit
    marked = bench.world.snapshot({kit.path: kit.marked("undefined_name")})
    assert_marked(await bench.judge(bench.world.snapshot()), kit, None)
    (before,) = await bench.pool.status()
    assert before.pid is not None
    bench.sent.clear()
    judging = asyncio.ensure_future(bench.judge(marked))
    await bench.sent.wait()
    # Some are started by a script, whose death alone leaves the server itself at work.
    started = psutil.Process(before.pid)
    for process in (started, *started.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # ended by the death of the one before
            process.kill()
    # Right by a second process, or because the answer was quicker than the signal.
    assert_marked(await judging, kit, "undefined_name")
    assert_marked(await bench.judge(marked), kit, "undefined_name")
    (after,) = await bench.pool.status()
    assert after.generation == before.generation + 1


def as_at_first(bench: Bench) -> None:
    """The folder has its first texts again."""
    for path, text in bench.kit.files.items():
        write(bench.world.root.path / path, text)
    bench.world.rescan()


def _created(path: str, i: int) -> str:
    texts = {
        ".ts": f"export const number = {i};\n",
        ".hpp": f"#pragma once\n\nconstexpr int number = {i};\n",
    }
    return texts.get(Path(path).suffix, f"number = {i}\n")


REQUESTS = [
    ("typescript7", "app.ts", 'const s = "😀"; function name() {}; name();\n'),
    ("typescript-language-server", "app.ts", 'const s = "😀"; function name() {}; name();\n'),
    ("basedpyright", "app.py", 's = "😀"; name = 1; print(name)\n'),
    ("ty", "app.py", 's = "😀"; name = 1; print(name)\n'),
    ("clangd", "app.cpp", 'auto s = "😀"; int name = 1; int other = name;\n'),
]


@pytest.mark.parametrize(("server", "path", "text"), REQUESTS)
async def test_requests_speak_utf16_both_ways(
    server: str, path: str, text: str, tmp_path: Path
) -> None:
    kit = next(kit for kit in KITS if kit.name == server)
    async with bench_of(kit, tmp_path) as bench:
        line = text.strip()
        definition, use = line.index("name"), line.rindex("name")
        params = {
            "textDocument": {"uri": bench.world.root.uri(path)},
            "position": {"line": 0, "character": use + 1},  # the emoji counts twice
        }
        async with bench.pool.lease(bench.spec, "one", soon(SECONDS)) as lease:
            result = await lease.request(
                bench.world.snapshot({path: text}),
                path,
                "textDocument/definition",
                params,
                soon(SECONDS),
            )
        place = result[0] if isinstance(result, list) else result
        target = place.get("targetSelectionRange") or place["range"]
        assert target["start"] == {"line": 0, "character": definition + 1}


async def test_a_schema_of_the_network_is_not_fetched_and_said_so(tmp_path: Path) -> None:
    kit = next(kit for kit in KITS if kit.name == "vscode-json")
    async with bench_of(kit, tmp_path) as bench:
        text = '{"$schema": "https://schema.invalid/x.json", "n": 1}\n'
        (finding,) = serious(await bench.judge(bench.world.snapshot({kit.path: text})))
        assert finding.severity == "warning"
        assert "not available offline" in finding.message


async def test_a_schema_of_the_network_is_not_asked_for(tmp_path: Path) -> None:
    kit = next(kit for kit in KITS if kit.name == "tombi")
    came: list[str] = []
    listener = await asyncio.start_server(
        lambda _, writer: (came.append("asked"), writer.close()), "127.0.0.1", 0
    )
    port = listener.sockets[0].getsockname()[1]
    async with listener, bench_of(kit, tmp_path) as bench:
        text = f"#:schema http://127.0.0.1:{port}/x.json\na = 1\nb =\n"
        assert serious(await bench.judge(bench.world.snapshot({kit.path: text})))
        assert came == []


async def test_a_broken_shellcheck_is_never_clean(tmp_path: Path) -> None:
    kit = next(kit for kit in KITS if kit.name == "bash-language-server")
    broken = tmp_path / "bin" / "shellcheck"
    write(broken, "#!/bin/sh\necho 'no JSON'\n")
    broken.chmod(0o755)
    async with bench_of(kit, tmp_path) as bench:
        path = f"{broken.parent}:{bench.spec.env['PATH']}"
        bench.spec = replace(bench.spec, env={"PATH": path})
        answer = await bench.judge(bench.world.snapshot())
        assert answer.reason is not None
        assert answer.reason.code == "unproven"
        assert "Error while linting" in answer.reason.text


async def test_clangd_has_answered_what_it_is_told_to_close(tmp_path: Path) -> None:
    """Else it hangs after some of such closings (22.1.1)."""
    kit = next(kit for kit in KITS if kit.name == "clangd")
    assert kit.cross is not None
    async with bench_of(kit, tmp_path) as bench:
        for i in range(8):
            edits = {kit.cross.dependency: kit.cross.bad(i), kit.path: kit.marked(f"undefined_{i}")}
            await bench.abandon(bench.world.snapshot(edits))
            assert_marked(await bench.judge(bench.world.snapshot(edits)), kit, f"undefined_{i}")
            assert len(serious(await bench.judge(bench.world.snapshot(edits), "user.cpp"))) == 1
        opened: dict[str, int] = {}
        answered: dict[str, int] = {}
        n_closed = 0
        for _, message in bench.messages:
            params = message.get("params") or {}
            document = params.get("textDocument") or {}
            uri = params.get("uri") or document.get("uri")
            if message.get("method") == "textDocument/didOpen":
                opened[uri] = document["version"]
            elif message.get("method") == "textDocument/publishDiagnostics":
                answered[uri] = max(answered.get(uri, 0), params.get("version") or 0)
            elif message.get("method") == "textDocument/didClose":
                assert answered.get(uri, 0) >= opened[uri]
                n_closed += 1
        assert n_closed > 8
