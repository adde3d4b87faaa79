"""The language servers that an editor brings: its built-in ones, on its own Node.js."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from tests.langserver.benches import (
    assert_marked,
    bench_of,
    branches_stay_apart,
    by_id,
    dependencies_count,
    serious,
)
from tests.support.kit import Kit
from tests.support.kits import KITS
from tests.support.servers import program
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.editor import EditorServers
from understudy.langserver.spec import ServerSpec
from understudy.values.paths import Root
from understudy.workspace.servers.choice import ServerChoice, ServerChooser
from understudy.workspace.settings import Settings

BUILT_IN = ("vscode-json", "vscode-css", "vscode-html", "typescript-language-server")
BROUGHT = [kit for kit in KITS if kit.name in BUILT_IN and not kit.overrides]
PROGRAMS = os.environ.get("UNDERSTUDY_TEST_EDITOR", "")


@pytest.fixture(scope="session")
def editor_brings(tmp_path_factory: pytest.TempPathFactory) -> EditorServers:
    """What our extension tells of this editor: all of its built-in extensions, and its Node.js."""
    code_server, node = (shutil.which(name, path=PROGRAMS) for name in ("code-server", "node"))
    assert code_server is not None, "no code-server: run `make test`"
    assert node is not None
    package = Path(code_server).resolve().parent.parent.parent
    folder = package / "lib" / "vscode" / "extensions"
    extensions = {f"vscode.{path.name}": path for path in folder.iterdir() if path.is_dir()}
    # As our own extension carries it, and nothing of it but that.
    real = program("typescript-language-server").resolve().parent.parent
    bundled = tmp_path_factory.mktemp("bundled")
    shutil.copytree(real / "lib", bundled / "typescript-language-server" / "lib")
    shutil.copy2(real / "package.json", bundled / "typescript-language-server")
    return EditorServers(Path(node), extensions, bundled)


def choice_of(editor: EditorServers, kit: Kit, root: Root) -> ServerChoice:
    """What is chosen for the kit's file where nothing is on the search path."""
    chooser = ServerChooser(
        root, Settings(), trusted=False, catalogue=Catalogue.load(), environ={}, editor=editor
    )
    chooser.__dict__["search_path"] = ()
    (choice,) = chooser.choose(kit.path)
    return choice


def spec_of(editor: EditorServers, kit: Kit, root: Root) -> ServerSpec:
    choice = choice_of(editor, kit, root)
    assert (choice.name, choice.origin, choice.reason) == (kit.name, "editor", None)
    assert choice.spec is not None
    return choice.spec


@pytest.mark.parametrize("kit", BROUGHT, ids=by_id)
async def test_every_answer_is_about_what_was_asked(
    kit: Kit, tmp_path: Path, editor_brings: EditorServers
) -> None:
    """Branches stay apart, dependencies count, and broken syntax is broken and comes back."""
    async with bench_of(kit, tmp_path, partial(spec_of, editor_brings)) as bench:
        assert bench.spec.command[0] == str(editor_brings.node)
        await branches_stay_apart(bench)
        if kit.cross is not None:
            await dependencies_count(bench)
        for _ in range(2):
            assert_marked(await bench.judge(bench.world.snapshot()), kit, None)
            assert serious(await bench.judge(bench.world.snapshot({kit.path: kit.broken})))


async def test_typescript_is_the_editors(tmp_path: Path, editor_brings: EditorServers) -> None:
    kit = next(kit for kit in BROUGHT if kit.name == "typescript-language-server")
    async with bench_of(kit, tmp_path, partial(spec_of, editor_brings)) as bench:
        path = bench.spec.initialization_options["tsserver"]["path"]
        assert Path(path).parent.parent == editor_brings.typescript
        assert bench.spec.env["ELECTRON_RUN_AS_NODE"] == "1"
