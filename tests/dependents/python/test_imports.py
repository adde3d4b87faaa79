"""What the reader of Python's imports makes of each form, whole or half written."""

from __future__ import annotations

import ast
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.dependents.readers import imports_of, reading_of
from understudy.syntax.model import WHOLE, Binding, Import
from understudy.syntax.python.imports import read


def line(one: Import) -> str:
    """An import as a short text: `kind target: name>local>exported ...`, `=` for the same again."""
    taken = " ".join(map(_binding, one.bindings))
    return f"{one.kind} {one.target}: {taken}"


def _binding(binding: Binding) -> str:
    name, local, exported = binding
    return f"{name}>{local}>{'=' if exported == local else exported}"


FORMS = [
    # plain
    ("import a", ["import a: .>a>="]),
    ("import a.b", ["import a.b: .>a>="]),
    ("import a.b as c", ["import a.b: .>c>="]),
    ("import a, b.c as d, e", ["import a: .>a>=", "import b.c: .>d>=", "import e: .>e>="]),
    ("import a . b", ["import a.b: .>a>="]),
    ("import a.\\\n    b", ["import a.b: .>a>="]),
    ("import a; import b", ["import a: .>a>=", "import b: .>b>="]),
    ("x = 1; import a", ["import a: .>a>="]),
    ("from m import x", ["from m: x>x>="]),
    ("from m import x as y", ["from m: x>y>="]),
    ("from m import x as x", ["from m: x>x>="]),
    ("from m.n import x, y as z", ["from m.n: x>x>= y>z>="]),
    ("from m import *", ["from m: *>*>="]),
    ("from m import(x)", ["from m: x>x>="]),
    ("from m import (x,)", ["from m: x>x>="]),
    ("from m import (\n    x,\n    y as z,\n)", ["from m: x>x>= y>z>="]),
    ("from m import (x, # a note )\n    y)", ["from m: x>x>= y>y>="]),
    ("from m import (  # )\n    x  # (\n    , y)", ["from m: x>x>= y>y>="]),
    ("from m import \\\n    x, \\\n    y", ["from m: x>x>= y>y>="]),
    ("from m \\\n  import x", ["from m: x>x>="]),
    ("from \\\n  m import x", ["from m: x>x>="]),
    ("from m import x  # from n import y", ["from m: x>x>="]),
    ("from m import x\nfrom m import y", ["from m: x>x>=", "from m: y>y>="]),
    ("from m import type, match, case, _", ["from m: type>type>= match>match>= case>case>= _>_>="]),
    ("from __future__ import annotations", []),
    ("from été import ñ", ["from été: ñ>ñ>="]),
    ("from ﬁle import x", ["from file: x>x>="]),  # names are compared in their plain form
    # relative
    ("from . import x", ["from .: x>x>="]),
    ("from .import x", ["from .: x>x>="]),
    ("from.m import x", ["from .m: x>x>="]),
    ("from . m import x", ["from .m: x>x>="]),
    ("from .. import x", ["from ..: x>x>="]),
    ("from ... import x", ["from ...: x>x>="]),
    ("from ....m.n import x", ["from ....m.n: x>x>="]),
    ("from . . import x", ["from ..: x>x>="]),
    ("from .m import *", ["from .m: *>*>="]),
    # where they stand
    ("if TYPE_CHECKING:\n    from m import x", ["from m: x>x>="]),
    ("if TYPE_CHECKING: from m import x", ["from m: x>x>="]),
    (
        "try: import a\nexcept X: import b as a\nelse: import c\nfinally: import d",
        ["import a: .>a>=", "import b: .>a>=", "import c: .>c>=", "import d: .>d>="],
    ),
    ("with x:\n    import a", ["import a: .>a>="]),
    ("for x in y:\n    import a\nelse:\n    import b", ["import a: .>a>=", "import b: .>b>="]),
    ("match x:\n    case 1:\n        import a", ["import a: .>a>="]),
    ("while x: import a", ["import a: .>a>="]),
    ("def f():\n    import a.b", ["import a.b: .>a>"]),
    ("def f(): from m import x", ["from m: x>x>"]),
    ("async def f():\n    from m import x as y", ["from m: x>y>"]),
    ("def f():\n    if x:\n        from .m import y", ["from .m: y>y>"]),
    ("class C:\n    from m import x", ["from m: x>x>"]),
    ("class C:\n    def f(self):\n        import a", ["import a: .>a>"]),
    ("def f():\n    global a\n    import a", ["import a: .>a>="]),
    ("def f():\n    global x, y\n    from m import y, z", ["from m: y>y>= z>z>"]),
    # no imports
    ("# import a", []),
    ("x = 'import a'", []),
    ('"""\nimport a\nfrom b import c\n"""', []),
    ("x = f'{y} import a'", []),
    ("important = 1\nfrom_ = 2", []),
    ("x.from_.import_", []),
    ("def f():\n    yield from m", []),
    ("def f():\n    x = yield from m", []),
    ("raise X from e", []),
    ("try:\n    pass\nexcept X as e:\n    raise Y(1) from e", []),
    # ends of lines
    ("import a\rimport b\r", ["import a: .>a>=", "import b: .>b>="]),
    ("from m import x\r\nfrom n import y\r\n", ["from m: x>x>=", "from n: y>y>="]),
    ("from m import \\\r\n    x\r\n", ["from m: x>x>="]),
    ("\ufeffimport a", ["import a: .>a>="]),
    ("\x0cimport a", ["import a: .>a>="]),
    # calls
    ("import_module('a.b')", ["dynamic a.b: .>>="]),
    ("importlib.import_module('a.b')", ["dynamic a.b: .>>="]),
    ("importlib.import_module(name='a')", ["dynamic a: .>>="]),
    ("importlib.import_module('.b', 'a')", ["dynamic a.b: .>>="]),
    ("importlib.import_module('..b', package='a.c')", ["dynamic a.b: .>>="]),
    ("importlib.import_module('.b', __package__)", ["dynamic .b: .>>="]),
    ("importlib.import_module(r'a' '.b')", ["dynamic a.b: .>>="]),
    ("importlib.import_module(f'a.{x}')", ["dynamic : .>>="]),
    ("importlib.import_module(name)", ["dynamic : .>>="]),
    ("m = __import__('a.b')", ["dynamic a.b: ()>m>="]),
    ("if x:\n    m = __import__('a')", ["dynamic a: ()>m>="]),
    ("def f():\n    m = __import__('a')", ["dynamic a: ()>m>"]),
    ("m = pytest.importorskip('a.b')", ["dynamic a.b: .>>="]),
    ("importlib.import_module('a').b()", ["dynamic a: ()>importlib>"]),
    ("x = [import_module('a')]", ["dynamic a: ()>import_module>"]),
    ("import_module('a' + '.b')", ["dynamic a.b: .>>="]),
    ("n = 'a'\nx.n = 'b'\nimport_module(n)", ["dynamic a: .>>=", "dynamic b: .>>="]),
    ("n = x\nimport_module(self.n + '.b')", ["dynamic : .>>="]),
    (
        "from importlib import import_module as load\nload('a')",
        ["from importlib: import_module>load>=", "dynamic a: .>>="],
    ),
    ("# import_module('a')", []),
    ("import_module", []),
    ("def import_module(name): ...", []),
]


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_forms(text: str, expected: list[str]):
    assert list(map(line, read("m.py", text.encode()).imports)) == expected


TWO, NINE = "n = 'a'\nn = 'b'\n", "".join(f"n = 'a{one}'; p = '.b{one}'\n" for one in range(9))


@pytest.mark.parametrize(
    "text",
    [
        f"{TWO}import_module(n{' + n' * 30})",
        f"n = 'a'\nimport_module(n{' + n' * 5000})",
        f"{TWO}import_module('.c', n{' + n' * 30})",
        f"{NINE}import_module(p, n)",
        "".join(f"n = 'a{one}'\n" for one in range(65)) + "import_module(n)\n" * 2,
    ],
)
def test_a_sum_of_too_many_texts_may_be_any_module(text: str):
    assert imports_of("m.py", text.encode()) is None
    assert reading_of("m.py", text.encode()) is None


HALF_WRITTEN = [
    ("from m import (x, y", ["from m: x>x>= y>y>="]),
    ("from m import (x, y\nz = 1\n", ["from m: x>x>= y>y>="]),
    ("from m import (\n    x,\n\ndef f(): ...\n", ["from m: x>x>="]),
    ("from m import (\n    x,\n    y\n\nimport a\n", ["from m: x>x>= y>y>=", "import a: .>a>="]),
    ("from m import (\nfrom n import z\n", ["from m: .>>=", "from n: z>z>="]),
    ("from m import", ["from m: .>>="]),
    ("from m import\nx = 1\n", ["from m: .>>="]),
    ("from m import x,\ny = 1\n", ["from m: x>x>="]),
    ("from m import x as", ["from m: x>x>="]),
    ("from m\nimport b\n", ["from m: .>>=", "import b: .>b>="]),
    ("from m", ["from m: .>>="]),
    ("from m.\nx = 1", ["from m.: .>>="]),
    ("from .", ["from .: .>>="]),
    ("import a.\nimport b", ["import a.: .>a>=", "import b: .>b>="]),
    ("import a,\nb = 1", ["import a: .>a>="]),
    ("import\nimport b", ["import b: .>b>="]),
    ("import a as\nimport b", ["import a: .>a>=", "import b: .>b>="]),
    ("def f(:\n    from m import x\n", ["from m: x>x>"]),
    ("x = (1,\nimport a\nfrom m import y\n", ["import a: .>a>=", "from m: y>y>="]),
    ("class C:\nfrom m import x\n", ["from m: x>x>="]),
    ("if x:\nimport a\n", ["import a: .>a>="]),
    ("import a\n)))\nimport b\n", ["import a: .>a>=", "import b: .>b>="]),
    ("f(\nimport a\n", ["import a: .>a>="]),
    ("x = 'open\nimport a\n", ["import a: .>a>="]),
    ("print 'two'\nimport a\n", ["import a: .>a>="]),
    ("import a\nx = '''open\nimport b\n", ["import a: .>a>=", "import b: .>b>="]),
    ("x = [\n    1,\n\nfrom m import y\n", ["from m: y>y>="]),
    (
        "<<<<<<< ours\nimport a\n=======\nimport b\n>>>>>>> theirs\n",
        ["import a: .>a>=", "import b: .>b>="],
    ),
    ("@\nimport a\n", ["import a: .>a>="]),
    ("import 1\nimport a\n", ["import a: .>a>="]),
]


@pytest.mark.parametrize(("text", "expected"), HALF_WRITTEN)
def test_half_written_text_is_read_as_far_as_it_goes(text: str, expected: list[str]):
    assert list(map(line, read("m.py", text.encode()).imports)) == expected


LISTED = [
    ("__all__ = ['a', 'b']", {"a", "b"}),
    ("__all__ = ('a', \"b\")", {"a", "b"}),
    ("__all__: list[str] = ['a']", {"a"}),
    ("__all__ = ['a']\n__all__ += ['b']", {"a", "b"}),
    ("__all__ = []\n__all__.extend(['a'])\n__all__.append('b')", {"a", "b"}),
    ("from . import m\n__all__ = m.__all__ + ['a']", {"a"}),
    ("__all__ = ['a'] + [*m.__all__, 'b']", {"a", "b"}),
    ("if x:\n    __all__ = ['a']\nelse:\n    __all__ = ['b']", {"a", "b"}),
    ("__all__ = [  # ]\n    'a',\n    'b',  # 'c'\n]", {"a", "b"}),
    ("__all__ = ['a', 'b'", {"a", "b"}),
    ("# __all__ = ['a']", set()),
    ("all = ['a']", set()),
    ("x = '__all__'\ny = ['a']", set()),
]


@pytest.mark.parametrize(("text", "expected"), LISTED)
def test_a_package_imports_what_it_lists(text: str, expected: set[str]):
    for path in ("pkg/__init__.py", "__init__.pyi"):
        listed = [one for one in read(path, text.encode()).imports if one.kind == "all"]
        assert {binding for one in listed for binding in one.bindings} == {
            Binding(name, "", name) for name in expected
        }
        assert all(one.target == "." for one in listed)
    assert not [one for one in read("pkg/m.py", text.encode()).imports if one.kind == "all"]


SUBMODULES = [
    ("pkg/__init__.py", "from .a.b import x", "import .a: .>a>="),
    ("pkg/__init__.py", "from pkg.a.b import x", "import pkg.a: .>a>="),
    ("pkg-stubs/__init__.pyi", "from pkg.a import x", "import pkg.a: .>a>="),
    ("src/pkg/sub/__init__.py", "from pkg.sub.a import x", "import pkg.sub.a: .>a>="),
    ("pkg/__init__.py", "def f():\n    from .a import x", "import .a: .>a>"),
    ("pkg/__init__.py", "from . import a", ""),
    ("pkg/__init__.py", "from .. import a", ""),
    ("pkg/__init__.py", "from other.a import x", ""),
    ("pkg/a.py", "from .a.b import x", ""),
]


@pytest.mark.parametrize(("path", "text", "expected"), SUBMODULES)
def test_a_package_has_the_submodules_that_it_imports_from(path: str, text: str, expected: str):
    first, *more = read(path, text.encode()).imports
    assert first.kind == "from"
    assert list(map(line, more)) == [expected][: bool(expected)]


def test_builtins_are_seen_everywhere():
    assert read("__builtins__.pyi", b"x: int").scope == "global"
    assert read("builtins.pyi", b"x: int").scope == ""


names = st.from_regex(r"[a-z_]{1,3}", fullmatch=True).filter(lambda n: not keyword.iskeyword(n))
dotted = st.lists(names, min_size=1, max_size=3).map(".".join)
pieces = st.one_of(
    st.builds("import {}".format, dotted),
    st.builds("import {} as {}".format, dotted, names),
    st.builds("from {}{} import {}".format, st.sampled_from(["", ".", "..."]), dotted, names),
    st.builds(
        "from {} import ({},  # ) {}\n  {} as {})".format, dotted, names, names, names, names
    ),
    st.builds("if {}:\n    from . import {}".format, names, names),
    st.builds("def {}(): import {}".format, names, dotted),
    st.builds("{} = 'import {}'".format, names, names),
    st.builds("'''\nfrom {} import {}\n'''".format, dotted, names),
    st.builds("{} = [{},\n    {}]".format, names, names, names),
)


def _by_python(text: str) -> list[tuple[str, str, str]]:
    """Target, name and local name of all imports, as Python itself reads them."""
    found: list[tuple[str, str, str]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(n.name, WHOLE, n.asname or n.name.split(".")[0]) for n in node.names]
        elif isinstance(node, ast.ImportFrom):
            target = "." * node.level + (node.module or "")
            found += [(target, n.name, n.asname or n.name) for n in node.names]
    return found


@given(st.lists(pieces, max_size=8).map("\n".join))
def test_whole_texts_read_as_python_reads_them(text: str):
    found = [
        (one.target, binding.name, binding.local)
        for one in read("m.py", text.encode()).imports
        for binding in one.bindings
    ]
    assert sorted(found) == sorted(_by_python(text))


@given(st.lists(pieces, min_size=1, max_size=6), st.data())
def test_a_break_takes_no_import_from_other_lines(lines: list[str], data: st.DataObject):
    at = data.draw(st.integers(0, len(lines)))
    broken = data.draw(st.sampled_from(["x = (", "def f(:", "]", "class", "x = 'open", "from"]))
    text = "\n".join([*lines[:at], broken, *lines[at:]])
    found = {
        (one.target, binding.name, binding.local)
        for one in read("m.py", text.encode()).imports
        for binding in one.bindings
    }
    assert set(_by_python("\n".join(lines))) <= found


def test_any_bytes_can_be_read():
    for text in (b"", b"\xff\xfe", b"import \xff", b"from \x00 import x", b"\\", b"import a" * 99):
        read("m.py", text)


def test_a_long_comment_is_read_as_quickly_as_any_text():
    """The grammar alone takes a quarter of an hour for so many lines."""
    text = "import a\n" + "# import b\n" * 100_000 + "import c\n"
    assert [one.target for one in read("m.py", text.encode()).imports] == ["a", "c"]
