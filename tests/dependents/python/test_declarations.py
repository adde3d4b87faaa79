"""What an edit changes of what others can see of a Python file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import Declaration, FileDeclarations
from understudy.syntax.python import imports
from understudy.syntax.python.declarations import read

FRAME = "FRAME"


def declared(text: str) -> FileDeclarations:
    return read("m.py", text.encode())


def by_key(found: FileDeclarations) -> dict[str, Declaration]:
    """Each declaration by its dotted name; no name is declared twice."""
    keys = {f"{one.owner}.{one.name}".lstrip("."): one for one in found.declarations}
    assert len(keys) == len(found.declarations)
    return keys


def changed(before: str, after: str) -> set[str]:
    """The names whose outside differs, or that come or go; FRAME for the frame."""
    old, new = declared(before), declared(after)
    assert (old.is_sound, new.is_sound) == (True, True)
    left, right = by_key(old), by_key(new)
    names = {
        key
        for key in left.keys() | right.keys()
        if key not in left or key not in right or left[key].outside != right[key].outside
    }
    return names | ({FRAME} if old.frame != new.frame else set())


CLASS = """\
class Shape:
    size: int = 1

    def __init__(self, side):
        self.side = side
        self.big = side > 3

    def area(self) -> int:
        return self.size

    def name(self):
        return "shape"

    class Inner:
        def deep(self) -> int: ...
"""

EDITS = [
    # an edit as «before→after», and the names that it changes
    # layout, comments and docstrings are nothing to others
    ("x «= 1→ =  1  # a note»", ""),
    ("x = [«1,→\n    1,\n\n    # a note\n   » 2]", ""),
    ("def f(«a, b→ a ,\n  b »): return a", ""),
    ('def f():\n    """«Old→New\n\n    and more»."""\n    return 1', ""),
    ('"""«Old→New»."""\nx = 1', ""),
    ("x = 1 + «\\\n  →»2", ""),
    ("«x = 1\ny = 2→y = 2\nx = 1»", ""),
    # but what decides what is under a condition is
    ("def f(a):\n    if a:\n        a()\n    «    →»g()\n    return 1", "f"),
    ("x = 'a «→ »b'", "x"),
    ("x = 'a#«b→c»'", "x"),
    ("x = '''a\n«→ »b'''", "x"),
    # functions with a declared result
    ("def f(a: int) -> int:\n    return «1→a»", ""),
    ("def f(a: «int→str») -> int: return 1", "f"),
    ("def f(«a→b»: int) -> int: return 1", "f"),
    ("def f(a: int) -> «int→str»: return 1", "f"),
    ("def f(a: int«→ = 1») -> int: return 1", "f"),
    ("def f(a: int = «1→2») -> int: return 1", ""),
    ("def f(a=«1→''») -> int: return 1", "f"),
    ("def f(a, «→/, »b) -> int: return 1", "f"),
    ("def f(a, «→*, »b) -> int: return 1", "f"),
    ("def f(*«→*»a) -> int: return 1", "f"),
    ("«→async »def f() -> int: return 1", "f"),
    ("async def f() -> A:\n    «return→yield» x", "f"),
    ("«→@d\n»def f() -> int: return 1", "f"),
    ("@d(«1→2»)\ndef f() -> int: return 1", "f"),
    ("def f[T«→: int»](a: T) -> T: return a", "f"),
    ("def f() -> int: «...→return 1»", "f"),
    ("def f() -> No«Return→ne»: raise X", "f"),
    ("def f(a):  # type: («int→str») -> int\n    return a", "f"),
    # functions of which the result is inferred
    ("def f(): return «1→''»", "f"),
    ("def f():\n    x = «1→2»\n    return x", "f"),
    ("def f(): «pass→raise X»", "f"),
    ("def f(): «g→h»()", "f"),
    ("def f(): yield «1→''»", "f"),
    ("def f(self):\n    self.x = «1→2»", ""),
    ("def f():\n    x = «g→h»()", "f"),
    # all definitions of a name count, in their order
    (
        "«@o\ndef f(a: A): ...\n@o\ndef f(a: B): ...→@o\ndef f(a: B): ...\n@o\ndef f(a: A): ...»",
        "f",
    ),
    ("x = «1\nx = ''→''\nx = 1»", "x"),
    ("x = 1\n«→x = ''\n»", "x"),
    ("x = 1\n«→del x\n»", "x"),
    # variables
    ("x = «1→''»", "x"),
    ("x: int = «1→2»", ""),
    ("x: int« = 1→»", "x"),
    ("x: «int→str» = 1", "x"),
    ("x: Final = «1→2»", "x"),
    ("x: t.Final[int] = «1→2»", "x"),
    ("X: TypeAlias = «A→B»", "X"),
    ("type X = «A→B»", "X"),
    ("type X[T«→: int»] = A", "X"),
    ("T = TypeVar('T'«→, bound=int»)", "T"),
    ("N = NewType('N', «int→str»)", "N"),
    ("x = y = «1→2»", "x y"),
    ("a, (b, *c) = «d→e»", "a b c"),
    ("x = 1\nx += «1→''»", "x"),
    ("x = []  # type: list[«int→str»]", "x"),
    ("print(x := «1→2»)", "x"),
    ("if (x := «f→g»()): pass", "x"),
    ("for x in «a→b»: pass", "x"),
    ("for x, (y, z) in «a→b»: pass", "x y z"),
    ("with «a→c»() as x, b() as (y, z): pass", "x y z"),
    ("def f():\n    global x\n    x = «1→''»", "x"),
    ("match a:\n    case [«→_, »x, *y]: pass", "x y"),
    ("match «a→b»:\n    case {'k': x, **y} if x: pass", "x y"),
    ("match a:\n    case «int→str»() as x: pass", "x"),
    ("match a:\n    case A(b, c=d) | m.E(«→f») | m.G: pass", "b d f"),
    ("try: pass\nexcept «A→B» as e: pass", "e"),
    ("x: int | None = «1→None»\ny = x", "y"),
    ("x: int | None = «1→None»\ndef f(): return x\ndef g() -> int: return x", "f"),
    ("x: int | None = «1→None»\nif x:\n    y = 1", "y"),
    ("class C:\n    x: int | None = «1→None»\n    y = x", "C.y"),
    ("class C:\n    x: int | None = «1→None»\ny = x", ""),
    ("class C:\n    def f(self):\n        self.x: A = «1→None»\n        self.y = self.x", "C.y"),
    ("class C:\n    def f(self):\n        self.x = «1→2»\n        self.y = self.x", "C.x C.y"),
    ("def f(self):\n    self.x = «1→0»\n    if self.x: raise X", "f"),
    ("x: ClassVar = «1→2»", "x"),
    ("x: type = NewType('x', «int→str»)", "x"),
    # conditions
    ("if «a→b»:\n    def f() -> int: ...", "f"),
    ("if «a→b»:\n    x = 1\nelse:\n    y = 1", "x y"),
    ("if a:\n    x = 1\nelif «b→c»:\n    y = 1", "y"),
    ("if sys.platform == '«linux→win32»':\n    import a", "a"),
    ("try:\n    import a\nexcept «Import→Value»Error:\n    a = None", "a"),
    ("for x in «a→b»:\n    y = 1", "x y"),
    ("match a:\n    case «1→2»:\n        def f(): ...", "f"),
    # imports
    ("from «m→n» import x", "x"),
    ("from m import x«→ as x»", "x"),
    ("from m import x«→, y»", "y"),
    ("from m import («x, y→\n    y,\n    x,  # a note\n»)", ""),
    ("import a.«b→c»", "a"),
    ("import «a→b» as c", "c"),
    ("from «m→n» import *", "*"),
    # __all__
    ("__all__ = ['a'«→, 'b'»]\na = 1", "b __all__"),
    ("__all__ = ['a']\n«→__all__ += ['b']\n»", "b __all__"),
    ("__all__ = []\n«→__all__.extend(['a', 'b'])\n»", "a b __all__"),
    ("«→__all__ = ['a']\n»a = 1\nb = 2", "a __all__ FRAME"),
    ("__all__ = [x for x in «a→b»]", "__all__ FRAME"),
    ("__all__ = m.__all__ + ['a'«→, 'b'»]", "b __all__"),
    ("__all__ = ('a',«  # one\n→»)", ""),
    # what others depend on, whatever they name
    ("«→raise X\n»x = 1", "FRAME"),
    ("x = 1\n«→raise X\n»", "FRAME"),
    ("if «a→b»: raise X\nx = 1", "FRAME"),
    ("«→break\n»x = 1", "FRAME"),
    ("«→continue\n»x = 1", "FRAME"),
    ("assert «a→b»", "FRAME"),
    ("«→sys.exit()\n»x = 1", "FRAME"),
    ("x = 1\n«→main()\n»", ""),
    ("x = 1\nif __name__ == '__main__':\n    main(«→1»)", ""),
    ("while «a→True»: pass\nx = 1", "FRAME"),
    ("«from __future__ import annotations\n→»", "FRAME"),
    ("«# pyright: strict\n→»x = 1", "FRAME"),
    ("«# mypy: disallow-any\n→»", "FRAME"),
    ("x = 1«  # pyright: ignore→»", ""),
    ("def __getattr__(name): return «1→''»", "__getattr__"),
    ("class C:\n    register(«→1»)", "C"),
    ("class C:\n    def f(self):\n        self.x: int = «1→2»", ""),
    ("class C:\n    def f(self):\n        self.x: «int→str» = 1", "C.x"),
    ("class C:\n    def f(this):\n        this.a, this.b = «g→h»()", "C.f C.a C.b"),
    ("class C:\n    def f(self):\n        with «g→h»() as self.a: pass", "C.f C.a"),
    ("class C:\n    def f(self):\n        for self.a in «g→h»(): pass", "C.f C.a"),
    ("class C:\n    x, y = 1, «2→''»", "C.x C.y"),
    ("class C:\n    from «m→n» import x", "C.x"),
    ("class C:\n    __slots__ = ('«a→b»',)", "C.__slots__"),
    ("@dataclass\nclass C:\n    x: int = «1→2»", "C.x"),
    ("class C(Enum):\n    A = «1→2»", "C.A"),
    ("class C:\n    @p\n    def x(self): ...\n«→    @x.setter\n    def x(self, v): ...\n»", "C.x"),
    ("class C:\n    if «a→b»:\n        def f(self) -> int: return 1", "C.f"),
]

EDITS_OF_A_CLASS = [
    # classes
    ("class Shape:", "class Shape(Base):", "Shape Shape.size"),
    ("class Shape:", "class Shape[T]:", "Shape"),
    ("class Shape:", "@final\nclass Shape:", "Shape"),
    ("class Shape:", "class Shape(metaclass=M):", "Shape Shape.size"),
    ("size: int", "size: str", "Shape.size"),
    ("int = 1", "int = 2", ""),
    ("return self.size", "return 1", ""),
    ("area(self)", "area(self, x)", "Shape.area"),
    ('"shape"', '"form"', "Shape.name"),
    ("area", "extent", "Shape.area Shape.extent"),
    ("def deep(self)", "def deep(self, x)", "Shape.Inner.deep"),
    ("side > 3", "side > 4", "Shape.big"),
    ("side > 3", "abs(side)", "Shape.__init__ Shape.big"),
    ("(self, side)", "(self, side: int)", "Shape.__init__ Shape.big Shape.side"),
    (
        "        self.side",
        "        if side: return\n        self.side",
        "Shape.__init__ Shape.big Shape.side",
    ),
]


def versions(text: str) -> tuple[str, str]:
    """The texts before and after an edit that is written as «before→after»."""
    head, _, rest = text.partition("«")
    edit, _, tail = rest.partition("»")
    before, _, after = edit.partition("→")
    return f"{head}{before}{tail}\n", f"{head}{after}{tail}\n"


@pytest.mark.parametrize(("text", "expected"), EDITS)
def test_what_an_edit_changes(text: str, expected: str):
    before, after = versions(text)
    assert before != after
    assert changed(before, after) == set(expected.split())
    assert changed(after, before) == set(expected.split())
    assert changed(before, before) == set()


@pytest.mark.parametrize(("old", "new", "expected"), EDITS_OF_A_CLASS)
def test_what_an_edit_of_a_class_changes(old: str, new: str, expected: str):
    assert old in CLASS
    assert changed(CLASS, CLASS.replace(old, new)) == set(expected.split())


OF_OWNER = [
    ("class C:\n    x: int\n    y = 1\n    def f(self): ...\n", "x"),
    ("class C:\n    def __init__(self): ...\n    def f(self): ...\n", "__init__"),
    ("class C(Base):\n    x: int\n    y = 1\n    def f(self): ...\n", "x y"),
    ("class C(object):\n    def f(self): ...\n", ""),
    ("class C(Generic[T]):\n    def f(self): ...\n", ""),
    ("class C(ValueError):\n    def f(self): ...\n", ""),
    ("class B: ...\nclass C(B):\n    def f(self): ...\n", ""),
    ("class B(X): ...\nclass C(B):\n    def f(self): ...\n", ""),
    ("class C(Protocol[T]):\n    def f(self): ...\n", "f"),
    ("@d\nclass C:\n    def f(self): ...\n", ""),
    ("@final\nclass C:\n    def f(self): ...\n", ""),
    ("@typing.final\nclass C:\n    def f(self): ...\n", ""),
    ("class C(metaclass=M):\n    def f(self): ...\n", ""),
    ("class C:\n    @abstractmethod\n    def f(self): ...\n    def g(self): ...\n", "f"),
    ("class C:\n    def f(self):\n        self.x = 1\n", ""),
    ("class C(X):\n    def f(self):\n        self.x = 1\n", ""),
    ("class C(X):\n    @y.default\n    def f(self): ...\n", "f"),
    ("class C(X):\n    @property\n    def f(self): ...\n", ""),
    ("class C(Enum):\n    def _missing_(self): ...\n", "_missing_"),
    ("class C(t.Protocol):\n    def f(self): ...\n", "f"),
    ("from t import Protocol as P\nclass C(P):\n    def f(self): ...\n", "f"),
    ("P = Protocol\nclass C(P):\n    def f(self): ...\n", "f"),
    ("class C:\n    def read(self): ...\n    def reads(self): ...\n", "read"),
]


@pytest.mark.parametrize(("text", "expected"), OF_OWNER)
def test_members_that_make_their_class(text: str, expected: str):
    found = [one for one in declared(text).declarations if one.owner == "C"]
    assert {one.name for one in found if one.of_owner} == set(expected.split())
    assert all(not one.exported for one in found)


LISTED = [
    # (text, the members by which a class is something else as they come or go)
    ("class C(Base):\n    def f(self): ...\n", "f"),
    ("class C:\n    def f(self): ...\n", ""),
]


@pytest.mark.parametrize(("text", "expected"), LISTED)
def test_members_that_a_base_may_ask_for(text: str, expected: str):
    found = declared(text).declarations
    assert {one.name for one in found if one.listed_by_owner} == set(expected.split())


MENTIONS = [
    # (text, declaration, names and .members shown, those of the rest)
    ("x = a.b(c=d['e'])", "x", "x a c d e .b .c", ""),
    ("x: a.B = c.d", "x", "x a .B", "c .d"),
    ("def f(a: B = c) -> 'D.E':\n    return g", "f", "def a B D .E", "return g c"),
    ("def f(a):\n    return b.c", "f", "def a return b .c", ""),
    ("@d.e\ndef f() -> None:\n    g()", "f", "d .e def None", "g"),
    ("class C(A, k=B):\n    x: D", "C", "class C A k B .k", ""),
    ("class C(A):\n    x: D", "C.x", "x D .x .D", ""),
    ("class C:\n    x: D", "C.x", "x D .D", ""),
    ("if a.b:\n    x = 1", "x", "if a x .b", ""),
    ("x = 1\nif a:\n    y = 1", "x", "x", ""),
    ("stop.now()\nx = 1", "x", "stop x .now", ""),
    ("x = 1\nstop()", "x", "x", ""),
    ("def f() -> None:\n    'no Word'\n    g()  # no Word", "f", "def None", "g"),
    ("from m import x", "x", "", ""),
    ("def f(a: 'B | C', b='no such word') -> D: ...", "f", "def a B C D b .b", ""),
    ("def f(a='no such {word}', b=f'the {one} here') -> D: ...", "f",
     "def a .a b .b f the one here D", ""),
    # a comment that gives a type stays, and hides nothing of what is around it
    ("x = a(b=c,  # type: ignore[d-e]\n    f=1)", "x",
     "x a b .b c type ignore d e f .f", ""),
    ("x = a(  # type: ignore\n    # note\n    f=1)", "x", "x a type ignore f .f", ""),
    ("x = a(f  # type: ignore\n    =1)", "x", "x a f .f type ignore", ""),
    ("x = a(\tf\n    =1)", "x", "x a f .f", ""),
    ("x = (a.  # type: ignore\n    f)", "x", "x a f .f type ignore", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key", "shown", "inner"), MENTIONS)
def test_what_a_declaration_mentions(text: str, key: str, shown: str, inner: str):
    one = by_key(declared(text))[key]
    for mentions, expected in ((one.shown, shown), (one.inner, inner)):
        found = {*mentions.names, *(f".{name}" for name in mentions.members)}
        assert found == set(expected.split())


def test_what_stands_outside_all_declarations():
    text = "import a\na.b(c)\nif d: pass\nassert e\nx.y = f\ndef g() -> None:\n    h\n"
    loose = declared(text).loose
    assert {"a", "c", "d", "e", "x", "f"} <= loose.names
    assert {"b", "y"} <= loose.members
    assert "h" not in loose.names


def test_names_that_a_module_gives_without_declaring_them():
    found = by_key(declared("def __getattr__(name): ...\nfrom m import *\nx = 1\n"))
    assert found["__getattr__"].exported == ("*",)
    assert found["*"].exported == ("*",)
    assert found["x"].exported == ("x",)


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n    pass\nx = 1\n",
        "x = 1\nclass C(\n",
        "x = 1\n)\n",
        "def f():\n        pass\n    return 1\nx = 1\n",
    ],
)
def test_half_written_text_is_not_sound_but_read(text: str):
    found = declared(text)
    assert not found.is_sound
    assert "x" in {one.name for one in found.declarations} | found.loose.names


statements = st.sampled_from([versions(text)[0] for text, _ in EDITS])


@given(st.lists(statements, max_size=4))
def test_notes_and_empty_lines_change_nothing(parts: list[str]):
    text = "".join(parts)
    noted = "\n\n# a note\n\n".join(["", *parts, ""])
    assert changed(text, noted) == set()


@given(st.lists(statements, max_size=3), st.sampled_from(EDITS))
def test_an_edit_changes_the_same_names_wherever_it_stands(parts: list[str], edit: tuple[str, str]):
    text, expected = edit
    before, after = versions(text)
    names = set(expected.split()) - {FRAME}
    assert names <= changed(before + "".join(parts), after + "".join(parts))


_FRAGMENTS = (
    'def |class |f|C|(|)|:|=|self.x|\n|\n    |@|import |from |\'|"""|#|if x:|else:|match x:|case '
    "|__all__|[|]|,|*|.|é|lambda|global x|del |with | as |type |\\\n|\r\n|\t|->|async "
)
fragments = st.sampled_from(_FRAGMENTS.split("|"))


@given(st.lists(fragments, max_size=25).map("".join))
def test_whatever_is_written_is_read(text: str):
    found = declared(text)
    assert found == declared(text)
    for one in found.declarations:
        assert len(one.outside) == 32
    imports.read("pkg/__init__.py", text.encode())


@given(st.binary(max_size=40))
def test_whatever_bytes_there_are_are_read(text: bytes):
    read("m.py", text)
    imports.read("__init__.py", text)
