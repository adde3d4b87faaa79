"""What readers and resolvers say a file imports agrees with what its compiler says."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from random import Random

import pytest

from tests.dependents.native.test_native_imports import FORMS as NATIVE_FORMS
from understudy.dependents.resolvers import cargo, go, native, rust
from understudy.dependents.resolvers.model import FolderTree
from understudy.syntax.go import imports as go_imports
from understudy.syntax.native import imports as native_imports
from understudy.syntax.native.code import code_of

pytestmark = pytest.mark.real


def tree_of(folder: Path, configuration: Iterable[str]) -> FolderTree:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    texts = {
        name: path.read_bytes()
        for name, path in named.items()
        if any(fnmatch(path.name, pattern) for pattern in configuration)
    }
    return FolderTree(tuple(named), texts)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def output_of(*words: str, folder: Path) -> str:
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "CARGO_NET_OFFLINE": "1"}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout


@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_every_include_that_a_compiler_sees_is_read(suffix: str, tmp_path: Path):
    texts = [text for text, _ in NATIVE_FORMS if isinstance(text, str)]
    for number, text in enumerate(texts):
        path = tmp_path / f"{number}.{suffix}"
        path.write_text(text + "\n", encoding="utf-8")
        seen = output_of("gcc", "-M", "-MG", "-w", path.name, folder=tmp_path)
        _, _, listed = seen.replace("\\\n", " ").replace("\\ ", "\0").partition(":")
        names = {name.replace("\0", " ") for name in listed.split()} - {path.name}
        found = {one.target for one in native_imports.read(path.name, path.read_bytes()).imports}
        missing = {name for name in names if not name.startswith("/")} - found
        assert not missing, text


PIECES = ("/*", "*/", "//", "\\\n", "\n", '"', "'", "a", "#a\n", " ", "\\", "#define b ", "b", "/",
          "1'0", 'R"(', ')"', "\\ \n", "??/\n", "<a//b>", "// a\n", "/* a */", ";")  # fmt: skip


@pytest.mark.parametrize("suffix", ["h", "hpp"])
def test_texts_of_the_same_code_are_the_same_to_a_compiler(suffix: str, tmp_path: Path):
    """Texts that differ in comments and layout, as our reader says, are preprocessed alike."""
    random = Random(17)
    pairs: list[tuple[Path, Path]] = []
    while len(pairs) < 200:
        pieces = random.choices(PIECES, k=random.randrange(3, 14))
        at = random.randrange(len(pieces))
        left, right = (
            pieces,
            [*pieces[:at], random.choice(PIECES), *pieces[at + random.randrange(2) :]],
        )
        texts = ["".join(part).encode() for part in (left, right)]
        if texts[0] == texts[1] or code_of(texts[0]) != code_of(texts[1]):
            continue
        paths = [tmp_path / f"{len(pairs)}{side}.{suffix}" for side in "ab"]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text)
        pairs.append((paths[0], paths[1]))
    language = "c" if suffix == "h" else "c++"
    for pair in pairs:
        seen = [_preprocessed(path, language) for path in pair]
        assert seen[0] == seen[1], [path.read_bytes() for path in pair]


def _preprocessed(path: Path, language: str) -> tuple[list[str], int]:
    words = ("gcc", "-E", "-P", "-w", "-x", language, path.name)
    done = subprocess.run(
        words, cwd=path.parent, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout.split(), done.returncode


GO_FILES = {
    "go.mod": "module example.org/m\n\ngo 1.22\n\nrequire x.org/far v1.0.0\n\n"
    "replace x.org/far => ./far\n",
    "far/go.mod": "module x.org/far\n\ngo 1.22\n",
    "far/far.go": "package far\n\nconst F = 1\n",
    "far/deep/deep.go": "package deep\n\nconst D = 2\n",
    "lib/lib.go": 'package lib\n\nimport "x.org/far"\n\nconst L = far.F\n',
    "lib/other.go": 'package lib\n\nimport (\n\t"x.org/far/deep" // f()\n)\n\nvar _ = deep.D\n',
    "lib/lib_test.go": "package lib\n",
    "web/web.go": 'package web\n\nimport (\n\t"embed"\n\t. "example.org/m/lib"\n)\n\n'
    '//go:embed static "a b.txt" all:hidden\n//go:embed page/*.html page/[x-z].css\n'
    "var files embed.FS\n\nvar _ = L\n",
    "web/a b.txt": "",
    "web/static/a.css": "",
    "web/static/_no": "",
    "web/static/.no": "",
    "web/static/deep/b.css": "",
    "web/hidden/_yes": "",
    "web/hidden/.yes": "",
    "web/page/a.html": "",
    "web/page/.b.html": "",
    "web/page/y.css": "",
    "web/page/a.css": "",
    "cmd/main.go": 'package main\n\nimport _ "example.org/m/web"\n\nfunc main() {}\n',
}


def test_go_lists_the_same_files(tmp_path: Path):
    write(tmp_path, GO_FILES)
    made = go.resolver(tree_of(tmp_path, go.CONFIGURATION))
    listed = output_of("go", "list", "-json", "./...", "x.org/far/...", folder=tmp_path)
    decoder, packages, at = json.JSONDecoder(), dict[str, dict[str, object]](), 0
    while at < len(listed.rstrip()):
        package, at = decoder.raw_decode(listed, at)
        packages[package["ImportPath"]] = package
        at += len(listed[at:]) - len(listed[at:].lstrip())
    assert len(packages) == 5, listed

    def files_of(package: dict[str, object], field: str) -> set[str]:
        folder = Path(str(package["Dir"]))
        names = package.get(field) or []
        assert isinstance(names, list)
        return {(folder / str(name)).relative_to(tmp_path.resolve()).as_posix() for name in names}

    for package in packages.values():
        expected = files_of(package, "EmbedFiles")
        imported = package.get("Imports") or []
        assert isinstance(imported, list)
        for path in imported:
            if path in packages:
                expected |= files_of(packages[path], "GoFiles")
        found = {
            edge.target
            for path in files_of(package, "GoFiles")
            for edge in made.edges(path, go_imports.read(path, (tmp_path / path).read_bytes()))
        }
        assert found == expected


CARGO_FILES = {
    "Cargo.toml": '[workspace]\nresolver = "2"\nmembers = ["app", "crates/*"]\n'
    'exclude = ["crates/out"]\n[workspace.dependencies]\nshared = { path = "crates/shared" }\n'
    '[patch.crates-io]\nfar = { path = "far" }\n',
    "app/Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'
    '[dependencies]\nshared.workspace = true\nfar = "1"\n'
    '[dev-dependencies]\ntesting = { path = "../testing", package = "for-tests" }\n'
    "[target.'cfg(unix)'.build-dependencies]\nbuilding = { path = \"../crates/building\" }\n",
    "app/src/main.rs": "fn main() {}",
    "app/src/bin/other.rs": "fn main() {}",
    "app/build.rs": "fn main() {}",
    "app/tests/t.rs": "",
    "app/examples/e/main.rs": "fn main() {}",
    **{
        f"{folder}/Cargo.toml": f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\n'
        for folder, name in (
            *(("crates/shared", "shared"), ("crates/building", "building"), ("far", "far")),
            *(("testing", "for-tests"), ("crates/out", "out")),
        )
    },
    **{
        f"{folder}/src/lib.rs": ""
        for folder in ("crates/shared", "crates/building", "far", "testing", "crates/out")
    },
}


def test_cargo_sees_the_same_packages(tmp_path: Path):
    write(tmp_path, CARGO_FILES)
    said = output_of("cargo", "metadata", "--offline", "--format-version=1", folder=tmp_path)
    metadata = json.loads(said)
    root = tmp_path.resolve()
    packages = cargo.CargoPackages(tree_of(tmp_path, rust.CONFIGURATION))
    folders = {
        package["id"]: Path(package["manifest_path"]).parent.relative_to(root).as_posix()
        for package in metadata["packages"]
    }
    assert packages.members("") == {folders[one] for one in metadata["workspace_members"]}
    for node in metadata["resolve"]["nodes"]:
        own = packages.by_folder[folders[node["id"]]]
        by_kind: dict[str | None, set[str]] = {None: set(), "dev": set(), "build": set()}
        for needed in node["deps"]:
            for kind in needed["dep_kinds"]:
                by_kind[kind["kind"]].add(folders[needed["pkg"]])
        assert (own.needs, own.tests_need, own.script_needs) == (
            *(by_kind[None], by_kind["dev"], by_kind["build"]),
        )
    for package in metadata["packages"]:
        own = packages.by_folder[folders[package["id"]]]
        paths = {
            Path(target["src_path"]).relative_to(root).as_posix() for target in package["targets"]
        }
        assert paths <= own.roots | {own.build_script}


def test_flags_force_what_a_compiler_includes(tmp_path: Path):
    write(tmp_path, {"conf/c.h": "", "src/a.c": "", "flags.rsp": "-imacros conf/c.h"})
    for flags in ("-include conf/c.h", "-includeconf/c.h", "--include=conf/c.h", "@flags.rsp"):
        seen = output_of("gcc", "-M", *flags.split(), "src/a.c", folder=tmp_path)
        entry = {"directory": str(tmp_path), "file": "src/a.c", "command": f"gcc {flags} src/a.c"}
        write(tmp_path, {"compile_commands.json": json.dumps([entry])})
        made = native.resolver(tree_of(tmp_path, native.CONFIGURATION))
        found = {edge.target for edge in made.edges("src/a.c", native_imports.read("src/a.c", b""))}
        assert found == {"conf/c.h"}, flags
        assert "conf/c.h" in seen or "imacros" in (tmp_path / "flags.rsp").read_text()
