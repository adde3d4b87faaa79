"""Which files a Python import means, and under which names their coming and going is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.dependents.resolvers.model import FolderTree
from understudy.dependents.resolvers.python import CONFIGURATION, resolver
from understudy.syntax.model import Binding, FileImports
from understudy.syntax.python.imports import read


def edges(text: str, importer: str, files: dict[str, str]) -> set[tuple[str, str]]:
    """Each file that is meant, with the binding as `name>local>exported`."""
    tree = FolderTree({*files, importer}, {path: text.encode() for path, text in files.items()})
    found = resolver(tree).edges(importer, read(importer, text.encode()))
    return {(edge.target, ">".join(edge.binding)) for edge in found}


def targets(text: str, importer: str, *files: str, **texts: str) -> set[str]:
    return {target for target, _ in edges(text, importer, dict.fromkeys(files, "") | texts)}


def rows(text: str) -> set[tuple[str, str]]:
    found = [line.split() for line in text.splitlines() if line.strip()]
    return {(target, binding) for target, binding in found}


PACKAGE = ("pkg/__init__.py", "pkg/lib.py", "pkg/sub/__init__.py", "pkg/sub/deep.py", "lib.py")

BINDINGS = [
    ("import pkg", "main.py", "pkg/__init__.py .>pkg>pkg"),
    ("import pkg as p", "main.py", "pkg/__init__.py .>p>p"),
    ("import pkg.lib", "main.py", "pkg/__init__.py .>pkg>pkg\npkg/lib.py .>pkg>pkg"),
    ("import pkg.lib as l", "main.py", "pkg/__init__.py .>>\npkg/lib.py .>l>l"),
    (
        "import pkg.sub.deep",
        "main.py",
        """
        pkg/__init__.py .>pkg>pkg
        pkg/sub/__init__.py .>pkg>pkg
        pkg/sub/deep.py .>pkg>pkg
        """,
    ),
    ("from pkg import lib", "main.py", "pkg/__init__.py lib>lib>lib\npkg/lib.py .>lib>lib"),
    ("from pkg import x as y", "main.py", "pkg/__init__.py x>y>y"),
    ("from pkg import *", "main.py", "pkg/__init__.py *>*>*"),
    ("from pkg.lib import *", "main.py", "pkg/__init__.py .>>\npkg/lib.py *>*>*"),
    ("from pkg.lib import x", "main.py", "pkg/__init__.py .>>\npkg/lib.py x>x>x"),
    (
        "def f():\n    from pkg import lib",
        "main.py",
        "pkg/__init__.py lib>lib>\npkg/lib.py .>lib>",
    ),
    ("import_module('pkg.lib')", "main.py", "pkg/__init__.py .>>\npkg/lib.py .>>"),
    ("from . import lib", "pkg/a.py", "pkg/__init__.py lib>lib>lib\npkg/lib.py .>lib>lib"),
    ("from .lib import x", "pkg/a.py", "pkg/lib.py x>x>x"),
    ("from .sub.deep import x", "pkg/a.py", "pkg/sub/__init__.py .>>\npkg/sub/deep.py x>x>x"),
    ("from . import lib", "pkg/__init__.py", "pkg/lib.py .>lib>lib"),
    ("from .lib import x", "pkg/__init__.py", "pkg/lib.py x>x>x\npkg/lib.py .>lib>lib"),
    ("__all__ = ['other', 'lib']", "pkg/__init__.py", "pkg/lib.py .>>lib"),
    (
        "from pkg import nothing.more",
        "main.py",
        "pkg/__init__.py nothing.more>nothing.more>nothing.more",
    ),
    ("import pkg.missing.part", "main.py", "pkg/__init__.py .>pkg>pkg"),
    ("import os", "main.py", ""),
]


@pytest.mark.parametrize(("text", "importer", "expected"), BINDINGS)
def test_what_is_taken_from_each_file(text: str, importer: str, expected: str):
    assert edges(text, importer, dict.fromkeys(PACKAGE, "")) == rows(expected)


PLACES = [
    # (text, importer, files of the tree, those of them that are meant)
    ("from .. import lib", "pkg/sub/a.py", "pkg/__init__.py pkg/sub/__init__.py pkg/lib.py lib.py",
     "pkg/__init__.py pkg/lib.py"),
    ("from ... import lib", "pkg/sub/a.py", "pkg/__init__.py pkg/lib.py lib.py", "lib.py"),
    ("from .... import lib", "pkg/sub/a.py", "pkg/__init__.py pkg/lib.py lib.py", ""),
    ("from ..lib import f", "pkg/sub/a.py", "pkg/lib.py lib.py", "pkg/lib.py"),
    # right beside the importer and in each folder above: checkers look there as well
    ("import lib", "pkg/a.py", "pkg/__init__.py pkg/lib.py", "pkg/lib.py"),
    ("import lib", "pkg/sub/a.py", "pkg/__init__.py pkg/sub/__init__.py pkg/lib.py", "pkg/lib.py"),
    # a package is not entered from its middle
    ("import lib", "main.py", "pkg/__init__.py pkg/lib.py", ""),
    ("import lib", "pkg2/a.py", "pkg/__init__.pyi pkg/lib.py", ""),
    ("import lib", "main.py", "pkg/lib.py", "pkg/lib.py"),
    ("import sub.lib", "main.py", "pkg/__init__.py pkg/sub/lib.py", ""),
    ("import library", "main.py", "lib.py", ""),
    # any folder may be on the search path
    ("import a.b", "main.py", "src/a/b.py lib/a/b.py a/b.py", "src/a/b.py lib/a/b.py a/b.py"),
    ("import a", "tests/x.py", "tests/a.py", "tests/a.py"),
    ("import a", "main.py", "venv/lib/python3.11/site-packages/a/__init__.py",
     "venv/lib/python3.11/site-packages/a/__init__.py"),
    ("import a.b", "main.py", "site-packages/a/b.pyi", "site-packages/a/b.pyi"),
    # the root is itself a package
    ("from . import x", "a.py", "__init__.py x.py", "__init__.py x.py"),
    ("import lib", "sub/b.py", "__init__.py lib.py", "lib.py"),
    # source and stub
    ("from a import x", "main.py", "a.py a.pyi", "a.py a.pyi"),
    ("import a", "main.py", "a/__init__.py a/__init__.pyi", "a/__init__.py a/__init__.pyi"),
    ("import a", "main.py", "a.py a/__init__.py", "a.py a/__init__.py"),
    ("from a import x", "main.py", "a/__init__.py a/x.py a/x.pyi a/x/__init__.py",
     "a/__init__.py a/x.py a/x.pyi a/x/__init__.py"),
    ("import a.b", "main.py", "a/__init__.py a/b.py typings/a/__init__.pyi typings/a/b.pyi",
     "a/__init__.py a/b.py typings/a/__init__.pyi typings/a/b.pyi"),
    ("from a.b import f", "main.py", "a-stubs/__init__.pyi a-stubs/b.pyi",
     "a-stubs/__init__.pyi a-stubs/b.pyi"),
    ("from a.b import f", "main.py", "x/a-stubs/b.pyi a/b.py", "x/a-stubs/b.pyi a/b.py"),
    ("from .b import f", "a-stubs/__init__.pyi", "a-stubs/b.pyi a/b.py", "a-stubs/b.pyi a/b.py"),
    ("from .b import f", "a/c.py", "a/__init__.py a/b.py a-stubs/b.pyi", "a/b.py a-stubs/b.pyi"),
    ("from .b import f", "x/a/c.py", "x/a/__init__.py x/a/b.py typings/a/b.pyi",
     "x/a/b.py typings/a/b.pyi"),
    # a regular package has all its modules in one place, a namespace need not
    ("from .b import f", "x/a/c.py", "x/a/__init__.py x/a/b.py y/a/__init__.py y/a/b.py",
     "x/a/b.py"),
    ("from .b import f", "x/ns/c.py", "x/ns/d.py y/ns/b.py", "y/ns/b.py"),
    ("import ns.b", "main.py", "x/ns/a.py y/ns/b.py", "y/ns/b.py"),
    ("from ns import a, b", "main.py", "x/ns/a.py y/ns/b.py", "x/ns/a.py y/ns/b.py"),
    ("from ns.in_ns import b", "main.py", "ns/in_ns/b.py", "ns/in_ns/b.py"),
    # never itself
    ("import a", "a.py", "a.py", ""),
    ("from . import a", "p/a.py", "p/__init__.py p/a.py", "p/__init__.py"),
    ("import a", "a.py", "a.py x/a.py", "x/a.py"),
    # other files have no part in it
    ("import a", "main.py", "a.txt a.js a/index.js a.so", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "importer", "files", "expected"), PLACES)
def test_where_a_module_may_be(text: str, importer: str, files: str, expected: str):
    assert targets(text, importer, *files.split()) == set(expected.split())


def test_a_namespace_folder_between_packages_is_passed():
    files = ("a/__init__.py", "a/b/c/__init__.py", "a/b/c/d.py")
    assert targets("import a.b.c.d", "main.py", *files) == set(files)


OPENED = [
    ("pyrightconfig.json", '{ // a note\n"extraPaths": ["pkg"],}'),
    ("pyrightconfig.json", '{"executionEnvironments": [{"root": "./pkg"}]}'),
    ("pyproject.toml", "[tool.basedpyright]\nextraPaths = ['pkg']"),
    ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['src', 'pkg']"),
    ("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = 'src pkg'"),
    ("pyproject.toml", "[tool.mypy]\nmypy_path = '$MYPY_CONFIG_FILE_DIR/pkg'"),
    ("mypy.ini", "[mypy]\nmypy_path = src:pkg"),
    ("setup.cfg", "[mypy]\nmypy_path = src, pkg"),
    ("setup.cfg", "[options]\npackage_dir =\n    = pkg"),
    ("tox.ini", "[pytest]\npythonpath = pkg"),
    ("ty.toml", "[environment]\nextra-paths = ['./pkg']"),
    ("pkg/pyrightconfig.json", '{"extraPaths": ["."]}'),
]


@pytest.mark.parametrize(("path", "config"), OPENED)
def test_a_configuration_opens_a_package(path: str, config: str):
    files = {"pkg/__init__.py": "", "pkg/lib.py": "", path: config}
    assert edges("import lib", "main.py", files) == {("pkg/lib.py", ".>lib>lib")}
    assert path.rpartition("/")[2] in CONFIGURATION


@pytest.mark.parametrize(
    ("path", "config"),
    [
        ("pyproject.toml", "[tool.setuptools.package-dir]\nshop = 'source/main'"),
        ("setup.cfg", "[options]\npackage_dir =\n    shop = source/main"),
    ],
)
def test_a_package_may_be_in_a_folder_of_another_name(path: str, config: str):
    files = {"source/main/__init__.py": "", "source/main/cart.py": "", path: config}
    assert edges("from shop.cart import x", "main.py", files) == {
        ("source/main/__init__.py", ".>>"),
        ("source/main/cart.py", "x>x>x"),
    }
    tree = FolderTree(files, {path: config.encode()})
    assert "shop" in set(resolver(tree).keys_of("source/main/__init__.py"))


@pytest.mark.parametrize("config", ["{", "[", "x = ", "\x00", '{"extraPaths": 3}', "[a]\nroot=1"])
def test_a_broken_configuration_opens_nothing(config: str):
    files = dict.fromkeys(CONFIGURATION, config) | {"pkg/__init__.py": "", "pkg/lib.py": ""}
    assert edges("import lib", "main.py", files) == set()


def test_builtins_have_a_scope():
    found = resolver(FolderTree(["__builtins__.pyi", "a.py"], {}))
    assert found.scope("__builtins__.pyi", read("__builtins__.pyi", b"")) == "global"
    assert found.scope("a.py", read("a.py", b"")) == ""


SEGMENTS = ("a", "b", "__init__")
files_of_a_tree = st.sets(
    st.builds(
        lambda folders, stem, suffix: "/".join((*folders, stem + suffix)),
        st.lists(st.sampled_from(("a", "b", "b-stubs", "src")), max_size=3),
        st.sampled_from(SEGMENTS),
        st.sampled_from((".py", ".pyi")),
    ),
    max_size=8,
)
imports_of_a_file = st.sampled_from(
    [
        "import a", "import a.b", "import b.a as c", "from a import b", "from a.b import x",
        "from . import a", "from .a import b", "from .. import b", "from ..a.b import *",
        "from a import *", "import_module('a.b')", "import_module('.a', 'b')",
    ]
)  # fmt: skip


@given(files_of_a_tree, imports_of_a_file, files_of_a_tree, st.data())
def test_what_a_file_changes_is_found_by_its_keys(
    files: set[str], text: str, more: set[str], data: st.DataObject
):
    """Edges that come or go with a file share a key with it: nothing else has to be looked up."""
    importer = data.draw(st.sampled_from(sorted({*more, "main.py", "src/a/x.py"})))
    files |= {importer}
    coming = data.draw(st.sampled_from(sorted((more | {"a/b.py"}) - {importer}) or ["b.py"]))
    imports: FileImports = read(importer, text.encode())
    without = resolver(FolderTree(files - {coming}, {}))
    with_it = resolver(FolderTree(files | {coming}, {}))
    if set(without.edges(importer, imports)) == set(with_it.edges(importer, imports)):
        return
    for found in (without, with_it):
        keys = {*found.keys(importer, imports)}
        assert keys & {*without.keys_of(coming), *with_it.keys_of(coming)}


@given(files_of_a_tree, imports_of_a_file)
def test_a_file_never_means_itself(files: set[str], text: str):
    found = resolver(FolderTree(files, {}))
    for importer in files:
        edges_of_it = list(found.edges(importer, read(importer, text.encode())))
        assert importer not in {edge.target for edge in edges_of_it}
        assert {edge.target for edge in edges_of_it} <= files
        assert all(isinstance(edge.binding, Binding) for edge in edges_of_it)
