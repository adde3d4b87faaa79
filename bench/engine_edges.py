"""Which file takes from which, by the word of a compiler or type checker that is there anyway."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.oracle import json_values, output, run
from tests.support.servers import node, program

_UNITS = (".c", ".cc", ".cpp", ".cxx")


class EngineEdge(NamedTuple):
    """One of `importers` takes from `target`; by way of others, unless `is_direct`."""

    importers: tuple[str, ...]
    target: str
    is_direct: bool = True


def by_builder_program(folder: Path) -> Iterator[EngineEdge]:
    """TypeScript and JavaScript: what the compiler's builder program looks at again."""
    compiler = program("tsc5").resolve().parent.parent
    script = Path(__file__).with_name("builder_program.mjs")
    for line in output(folder, str(node()), str(script), str(compiler), codes=(0,)).splitlines():
        importer, target = json.loads(line)
        yield EngineEdge((importer,), target)


def by_mypy(folder: Path) -> Iterator[EngineEdge]:
    """Python: the modules that mypy says a module depends on, and those whose names it uses."""
    script = Path(__file__).with_name("mypy_edges.py")
    for line in output(folder, sys.executable, str(script), codes=(0,)).splitlines():
        importer, target, is_direct = json.loads(line)
        yield EngineEdge((importer,), target, is_direct)


def by_go_list(folder: Path) -> Iterator[EngineEdge]:
    """Go: the packages that a package imports, what it embeds, and which files it is made of."""
    for module in sorted(folder.rglob("go.mod")):
        done = run(module.parent, "go", "list", "-e", "-deps", "-json", "./...")
        assert done.returncode == 0, done.stderr
        packages = {p["ImportPath"]: p for p in json_values(done.stdout) if "Standard" not in p}
        for one in packages.values():
            yield from _of_package(folder, one, packages)


def _of_package(
    folder: Path, package: dict[str, Any], packages: dict[str, dict[str, Any]]
) -> Iterator[EngineEdge]:
    inner, outer = ("GoFiles", "CgoFiles"), ("XTestGoFiles",)
    tested = (*inner, "TestGoFiles")
    for importer in _listed(folder, package, *tested):
        for target in _listed(folder, package, *inner, "SFiles"):
            if importer != target:
                yield EngineEdge((importer,), target)
    for files, imports, embeds in (
        (inner, "Imports", "EmbedFiles"),
        (("TestGoFiles",), "TestImports", "TestEmbedFiles"),
        (outer, "XTestImports", "XTestEmbedFiles"),
    ):
        importers = _listed(folder, package, *files)
        for target in _listed(folder, package, embeds):
            yield EngineEdge(importers, target)
        for path in package.get(imports, ()):
            for target in _listed(folder, packages.get(path, {}), *inner):
                yield EngineEdge(importers, target)


def _listed(folder: Path, package: dict[str, Any], *keys: str) -> tuple[str, ...]:
    names = [name for key in keys for name in package.get(key, ())]
    return tuple(_relative(folder, Path(package["Dir"], name)) for name in names)


def by_gcc(folder: Path) -> Iterator[EngineEdge]:
    """C and C++: the headers that a unit is made again for, whoever includes them."""
    flags = (folder / "compile_flags.txt").read_text().split()
    for unit in sorted(path for path in folder.rglob("*") if path.suffix in _UNITS):
        importer = unit.relative_to(folder).as_posix()
        # Headers that are not there are named, too, so that the rest is told.
        done = run(folder, "gcc", "-MM", "-MG", *flags, importer)
        assert done.returncode == 0, done.stderr
        _, _, needed = done.stdout.replace("\\\n", " ").partition(":")
        for path in needed.split():
            target = _relative(folder, folder / path)
            if target != importer:
                yield EngineEdge((importer,), target, is_direct=False)


def by_rustc(folder: Path) -> Iterator[EngineEdge]:
    """Rust: the files that a crate is made of, and the packages that a package needs."""
    done = run(folder, "cargo", "metadata", "--offline", "--format-version=1")
    assert done.returncode == 0, done.stderr
    metadata = json.loads(done.stdout)
    packages = {one["id"]: one for one in metadata["packages"]}
    for one in metadata["resolve"]["nodes"]:
        importers = _roots(folder, packages[one["id"]], ("lib", "bin", "test", "custom-build"))
        for needed in one["dependencies"]:
            for target in _roots(folder, packages[needed], ("lib",)):
                yield EngineEdge(importers, target)
    with tempfile.TemporaryDirectory(prefix="understudy-target-") as built:
        options = ("--workspace", "--all-targets", "--keep-going", f"--target-dir={built}")
        run(folder, "cargo", "check", "--offline", "-q", *options)
        rules = sorted(Path(built).glob("debug/deps/*.d"))
        assert rules, "nothing was built"
        for rule in rules:
            yield from _of_crate(folder, rule.read_text())
    (folder / "Cargo.lock").unlink(missing_ok=True)


def _of_crate(folder: Path, rule: str) -> Iterator[EngineEdge]:
    _, _, needed = rule.splitlines()[0].partition(": ")
    root, *others = (_relative(folder, folder / path) for path in needed.split())
    for target in others:
        yield EngineEdge((root,), target, is_direct=False)


def _roots(folder: Path, package: dict[str, Any], kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        _relative(folder, Path(target["src_path"]))
        for target in package["targets"]
        if not {*kinds}.isdisjoint(target["kind"])
    )


def _relative(folder: Path, path: Path) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")
