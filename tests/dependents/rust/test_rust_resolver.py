"""Which files modules, inclusions and manifests of Rust mean in a small tree."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch

import pytest

from understudy.dependents.resolvers.cargo import CargoPackages, packages_bound, packages_reached
from understudy.dependents.resolvers.model import Edge, FolderTree
from understudy.dependents.resolvers.rust import CONFIGURATION, RustResolver, resolver
from understudy.syntax.model import ALL, Binding
from understudy.syntax.rust.imports import read


def tree_of(files: Mapping[str, str]) -> FolderTree:
    texts = {
        path: text.encode()
        for path, text in files.items()
        if any(fnmatch(path.rpartition("/")[2], pattern) for pattern in CONFIGURATION)
    }
    return FolderTree(tuple(files), texts)


def resolver_of(files: Mapping[str, str]) -> RustResolver:
    made = resolver(tree_of(files))
    assert isinstance(made, RustResolver)
    return made


def targets(files: Mapping[str, str], importer: str) -> set[str]:
    """The files that one of them may mean; they have to be found by its keys, there or not."""
    made = resolver_of(files)
    imports = read(importer, files[importer].encode())
    found = {edge.target for edge in made.edges(importer, imports)}
    for target in found:
        without = resolver_of({path: text for path, text in files.items() if path != target})
        keys = set(without.keys(importer, imports))
        assert ALL in keys or keys.intersection(made.keys_of(target))
    return found


MODULES = [
    ("src/lib.rs", "mod a;", {"src/a.rs"}),
    ("src/main.rs", "mod b;", {"src/b/mod.rs"}),
    ("src/lib.rs", "mod b { mod c; }", {"src/b/c.rs"}),
    ("src/b/mod.rs", "mod c;", {"src/b/c.rs"}),
    ("src/b.rs", "mod c;", {"src/b/c.rs"}),
    ("src/a.rs", "mod d { mod e; }", {"src/a/d/e.rs"}),
    ("tests/t.rs", "mod common;", {"tests/common/mod.rs"}),
    ("src/lib.rs", '#[path = "a/d/e.rs"] mod x;', {"src/a/d/e.rs"}),
    ("src/a.rs", '#[path = "b/c.rs"] mod x;', {"src/b/c.rs"}),
    ("src/a.rs", 'mod d { #[path = "e.rs"] mod x; }', {"src/a/d/e.rs"}),
    ("src/b/mod.rs", 'mod x { #[path = "../c.rs"] mod y; }', {"src/b/c.rs"}),
    ("src/lib.rs", 'include!("b/c.rs");', {"src/b/c.rs"}),
    ("src/b/c.rs", 'include_str!("../../README.md");', {"README.md"}),
    ("src/b/c.rs", 'include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"));',
     {"README.md"}),
    ("src/lib.rs", 'include!(concat!(env!("OUT_DIR"), "/x.rs"));', {"build.rs"}),
    ("src/lib.rs", "mod none;\nmod self_;", set[str]()),
    ("src/a.rs", "use crate::b::c;", set[str]()),
]  # fmt: skip


@pytest.mark.parametrize(("importer", "text", "expected"), MODULES)
def test_modules_and_inclusions(importer: str, text: str, expected: set[str]):
    inside = ("a.rs", "a/d/e.rs", "b/mod.rs", "b/c.rs")
    files = {"Cargo.toml": '[package]\nname = "p"', "README.md": "", "tests/common/mod.rs": ""}
    files |= {"build.rs": "", **{f"src/{name}": "" for name in inside}}
    assert targets({**files, importer: text}, importer) == expected


def test_an_inclusion_that_only_a_run_can_tell_may_be_any_file_of_the_package():
    files = {
        "p/Cargo.toml": '[package]\nname = "p"',
        "p/src/lib.rs": "include!(name!());",
        "p/x.txt": "",
        "q/y.txt": "",
    }
    assert targets(files, "p/src/lib.rs") == {"p/Cargo.toml", "p/x.txt"}


def package(name: str, rest: str = "") -> str:
    return f'[package]\nname = "{name}"\n{rest}'


DEPENDENCIES = [
    ('[dependencies]\nlib = { path = "../lib" }', "", True),
    ('[dependencies]\nlib = { path = "../lib/", version = "1", optional = true }', "", True),
    ('[dependencies.other]\npackage = "lib"\npath = "../lib"', "", True),
    ('[dev-dependencies]\nlib = { path = "../lib" }', "", True),
    ("[target.'cfg(unix)'.dependencies]\nlib = { path = '../lib' }", "", True),
    ("[target.x86_64-pc-windows-gnu.dev-dependencies]\nlib.path = '../lib'", "", True),
    ("[dependencies]\nlib.workspace = true",
     '[workspace.dependencies]\nlib = { path = "lib" }', True),
    ("[dependencies]\nl = { workspace = true }",
     '[workspace.dependencies]\nl = { path = "./lib", package = "lib" }', True),
    ('[dependencies]\nlib = "1"', '[patch.crates-io]\nlib = { path = "lib" }', True),
    ('[dependencies]\nlib = { git = "https://x.org/lib" }',
     '[patch."https://x.org/lib"]\nlib = { path = "lib" }', True),
    ('[dependencies]\nl = { package = "lib", version = "1" }',
     '[patch.crates-io]\nlib2 = { package = "lib", path = "lib" }', True),
    ('[dependencies]\nlib = "1"', '[replace]\n"lib:1.0.0" = { path = "lib" }', True),
    ('[dependencies]\nlib = "1"', "", False),
    ('[dependencies]\nlib = "1"', '[patch.crates-io]\nother = { path = "lib" }', False),
    ("[dependencies]\nlib.workspace = true", '[workspace.dependencies]\nlib = "1"', False),
    ('[dependencies]\nlib = { path = "../other" }', "", False),
    ('[dependencies]\nlib = { path = "../../lib" }', "", False),
    ("[dependencies\n", "", True),  # half-written: it may need anything
]  # fmt: skip


@pytest.mark.parametrize(("manifest", "root", "expected"), DEPENDENCIES)
def test_dependencies(manifest: str, root: str, expected: bool):
    files = {
        "Cargo.toml": f'[workspace]\nmembers = ["app", "lib"]\n{root}',
        "app/Cargo.toml": package("app", manifest),
        "app/src/main.rs": "mod a;",
        "app/src/a.rs": "",
        "lib/Cargo.toml": package("lib"),
        "lib/src/lib.rs": "",
        "lib/src/main.rs": "",
    }
    assert targets(files, "app/src/main.rs") == (
        {"app/src/a.rs", "lib/src/lib.rs"} if expected else {"app/src/a.rs"}
    )
    assert targets(files, "app/src/a.rs") == set()
    assert ("app" in packages_reached(tree_of(files), "lib/src/x.rs")) is expected


def test_cargo_s_own_configuration_replaces_too():
    files = {
        ".cargo/config.toml": 'paths = ["lib"]',
        "app/Cargo.toml": package("app", '[dependencies]\nlib = "1"\nfar = "1"'),
        "app/.cargo/config": '[patch.crates-io]\nfar = { path = "../far" }',
        "app/src/lib.rs": "",
        "lib/Cargo.toml": package("lib"),
        "lib/src/lib.rs": "",
        "far/Cargo.toml": package("far", '[lib]\npath = "far.rs"'),
        "far/far.rs": "",
    }
    assert targets(files, "app/src/lib.rs") == {"lib/src/lib.rs", "far/far.rs"}
    assert packages_reached(tree_of(files), "lib/src/lib.rs") == {"app", "lib"}


ROOTS = [
    "src/lib.rs", "src/main.rs", "src/bin/x.rs", "src/bin/x/main.rs", "examples/x.rs",
    "examples/x/main.rs", "tests/x.rs", "tests/x/main.rs", "benches/x.rs", "tools/own.rs",
]  # fmt: skip


@pytest.mark.parametrize("root", ROOTS)
def test_every_crate_of_a_package_takes_from_its_dependencies(root: str):
    files = {
        "app/Cargo.toml": package(
            "app", '[dependencies]\nlib.path = "../lib"\n[[bin]]\npath = "tools/own.rs"'
        ),
        f"app/{root}": "",
        "app/build.rs": "",
        "app/src/part.rs": "",
        "lib/Cargo.toml": package("lib"),
        "lib/src/lib.rs": "",
    }
    assert targets(files, f"app/{root}") == {"lib/src/lib.rs"}
    assert targets(files, "app/src/part.rs") == targets(files, "app/build.rs") == set()


def test_a_build_script_takes_from_its_own_dependencies():
    manifest = 'build = "make.rs"\n[build-dependencies]\nlib.path = "../lib"'
    files = {
        "app/Cargo.toml": package("app", manifest),
        "app/make.rs": "",
        "app/src/lib.rs": "",
        "lib/Cargo.toml": package("lib"),
        "lib/src/lib.rs": "",
    }
    made = resolver_of(files)
    assert list(made.edges("app/make.rs", read("app/make.rs", b""))) == [
        Edge("lib/src/lib.rs", Binding(ALL, ALL, ALL))
    ]


def test_files_of_a_package_share_its_scope():
    files = {
        "Cargo.toml": "[workspace]",
        "a/Cargo.toml": package("a"),
        "a/build.rs": "",
        "a/src/lib.rs": "",
        "a/inner/Cargo.toml": package("inner"),
        "a/inner/src/lib.rs": "",
        "loose.rs": "",
    }
    made = resolver_of(files)
    scopes = {path: made.scope(path, read(path, b"")) for path in files}
    assert scopes["a/build.rs"] == scopes["a/src/lib.rs"] != scopes["a/inner/src/lib.rs"]
    assert scopes["loose.rs"] == scopes["a/Cargo.toml"] == ""


CHAIN = {
    "Cargo.toml": '[workspace]\nmembers = ["*"]',
    "Cargo.lock": "",
    "base/Cargo.toml": package("base"),
    "mid/Cargo.toml": package("mid", '[dependencies]\nbase.path = "../base"'),
    "made/Cargo.toml": package("made", '[build-dependencies]\nmid.path = "../mid"'),
    "tested/Cargo.toml": package("tested", '[dev-dependencies]\nmid.path = "../mid"'),
    "far/Cargo.toml": package("far", '[dependencies]\ntested.path = "../tested"'),
    "circle/Cargo.toml": package("circle", '[dependencies]\nmid.path = "../mid"'),
    "alone/Cargo.toml": package("alone"),
    "README.md": "",
}
EVERYTHING = {"base", "mid", "made", "tested", "far", "circle", "alone"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("base/src/lib.rs", {"base", "mid", "made", "tested", "circle"}),
        ("base/data.txt", {"base", "mid", "made", "tested", "circle"}),
        ("base/Cargo.toml", {"base", "mid", "made", "tested", "circle"}),
        ("made/build.rs", {"made"}),
        ("tested/src/lib.rs", {"tested", "far"}),
        ("alone/src/lib.rs", {"alone"}),
        ("Cargo.lock", EVERYTHING),
        ("Cargo.toml", EVERYTHING),
        ("alone/Cargo.lock", EVERYTHING),
        ("alone/.cargo/config.toml", EVERYTHING),
        ("README.md", EVERYTHING),
    ],
)
def test_packages_that_a_change_reaches(path: str, expected: set[str]):
    assert packages_reached(tree_of(CHAIN), path) == expected


RUNNING = {
    **CHAIN,
    "made/build.rs": "",
    "base/src/lib.rs": "",
    "macros/Cargo.toml": package("macros", "[lib]\nproc-macro = true"),
    "uses/Cargo.toml": package("uses", '[dependencies]\nmacros.path = "../macros"'),
    "odd/Cargo.toml": "[package",
}


@pytest.mark.parametrize(
    ("changed", "not_bound"),
    [
        (["base/src/lib.rs"], {"made", "odd"}),
        (["alone/src/lib.rs"], {"odd"}),
        (["macros/src/lib.rs"], {"macros", "uses", "odd"}),
        (["uses/src/lib.rs", "made/src/lib.rs"], {"made", "odd"}),
        (["base/src/lib.rs", "base/data.txt"], None),
        (["base/Cargo.toml"], None),
    ],
)
def test_where_bindings_say_what_a_change_breaks(changed: list[str], not_bound: set[str] | None):
    """Not where a changed package runs while others are built, nor of what is no source."""
    tree = tree_of(RUNNING)
    packages = set(CargoPackages(tree).by_folder)
    expected = set[str]() if not_bound is None else packages - not_bound
    assert packages_bound(tree, changed) == expected


@pytest.mark.parametrize(
    ("workspace", "expected"),
    [
        ('members = ["a", "crates/*"]', {"a", "crates/b", "crates/c", "deep/e"}),
        ('members = ["a", "crates/*"]\nexclude = ["crates/c"]', {"a", "crates/b", "deep/e"}),
        ('members = ["a", "crates/*"]\nexclude = ["deep"]', {"a", "crates/b", "crates/c"}),
        ('members = ["./deep/e"]', {"deep/e"}),
        ('members = ["crates/?"]', {"crates/b", "crates/c", "deep/e"}),
        ("", set[str]()),
    ],
)
def test_members_of_a_workspace(workspace: str, expected: set[str]):
    files = {
        "Cargo.toml": f"[workspace]\n{workspace}",
        "a/Cargo.toml": package("a"),
        "crates/b/Cargo.toml": package("b", '[dependencies]\ne.path = "../../deep/e"'),
        "crates/c/Cargo.toml": package("c"),
        "crates/x/d/Cargo.toml": package("d"),
        "deep/e/Cargo.toml": package("e"),
    }
    assert CargoPackages(tree_of(files)).members("") == expected
