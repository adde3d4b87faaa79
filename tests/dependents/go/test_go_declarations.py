"""What a Go text declares, and which edits others can see."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.go.declarations import read
from understudy.syntax.model import Declaration, Mentions

SOURCE = """\
//go:build linux

// Package shop sells.
package shop

import (
	"fmt"
	l "example.org/lib"
)

const (
	A, B = iota, "x"
	C, D
	E    = 7
)

var Limit int = start()
var table = map[string]int{"a": Limit}
var _ Buyer = (*Cart)(nil)

// Cart is.
type Cart struct {
	Items []Item `json:"items"`
	l.Base
	inner struct{ deep int }
}

type Buyer interface {
	Buy(n int) (int, error)
	fmt.Stringer
}

type List[T any] = []T

func (c *Cart) Buy(n int) (int, error) {
	return c.Items[n].Price, nil
}

func New(n int) *Cart { return &Cart{Items: nil} }

func Logf(format string, args ...any) { fmt.Printf(format, args...) }

func init() { setup() }
"""


def outsides(text: str, path: str = "a.go") -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for one in read(path, text.encode()).declarations:
        found[f"{one.owner}.{one.name}" if one.owner else one.name].append(one.outside)
    return found


def changed(before: str, after: str) -> set[str]:
    """The names whose outside differs; FRAME where everything has changed."""
    left, right = read("a.go", before.encode()), read("a.go", after.encode())
    if left.frame != right.frame or not (left.is_sound and right.is_sound):
        return {"FRAME"}
    former, latter = outsides(before), outsides(after)
    return {name for name in former | latter if former.get(name) != latter.get(name)}


NOTHING: set[str] = set()
BOTH = {"A", "B", "C", "D"}

EDITS = [
    # Layout, comments and bodies.
    ("// Package shop sells.", "// Package shop sells things.", NOTHING),
    ("// Cart is.", "// Cart is a cart.\n// Really.", NOTHING),
    ("// Cart is.", "// Cart is.\n//\n// Deprecated: use Basket.", {"Cart"}),
    ("\treturn c.Items[n].Price, nil", "\tx := 0 // a note\n\treturn x, nil", NOTHING),
    ("return &Cart{Items: nil}", "panic(1)", {"New"}),  # vet knows which calls come back
    ("setup()", "other()", NOTHING),
    ("func New(n int) *Cart {", "func New( n  int ) *Cart {\n", NOTHING),
    ("fmt.Printf(format, args...)", "fmt.Println(format)", {"Logf"}),  # vet sees who prints
    # Signatures.
    ("func New(n int)", "func New(n int64)", {"New"}),
    ("func New(n int) *Cart", "func New(n int) Cart", {"New"}),
    ("func New(n int)", "func New[T any](n int)", {"New"}),
    ("func New(", "func Make(", {"New", "Make"}),
    ("func New(", "//go:noinline\nfunc New(", {"New"}),
    ("func New(n int) *Cart { return &Cart{Items: nil} }", "func New(n int) *Cart", {"New"}),
    ("func (c *Cart) Buy(n int)", "func (c *Cart) Buy(n, m int)", {"Cart.Buy"}),
    ("func (c *Cart) Buy(n int)", "func (c Cart) Buy(n int)", {"Cart.Buy"}),
    ("func (c *Cart) Buy(n int)", "func (c *Other) Buy(n int)", {"Cart.Buy", "Other.Buy"}),
    # Types.
    ("Items []Item", "Items []string", {"Cart", "Cart.Items"}),
    ('`json:"items"`', '`json:"things"`', {"Cart", "Cart.Items"}),
    ("\tl.Base\n", "\t*l.Base\n", {"Cart", "Cart.Base"}),
    ("\tl.Base\n", "", {"Cart", "Cart.Base"}),
    ("deep int", "deep string", {"Cart", "Cart.inner", "Cart.inner.deep"}),
    ("Buy(n int) (int, error)\n\tfmt", "Buy() (int, error)\n\tfmt", {"Buyer", "Buyer.Buy"}),
    ("\tfmt.Stringer\n", "", {"Buyer"}),
    ("\tfmt.Stringer\n", "\tfmt.Stringer\n\tSell()\n", {"Buyer", "Buyer.Sell"}),
    ("type List[T any] = []T", "type List[T any] []T", {"List"}),
    ("type Cart struct", "type Cart = struct", {"Cart"}),
    # Constants repeat and count.
    ('iota, "x"', 'iota + 1, "x"', BOTH),
    ('iota, "x"', 'iota, "y"', BOTH),
    ("\tC, D\n", "\tC, D // a note\n", NOTHING),
    ("\tC, D\n", "\t_, _\n\tC, D\n", {"C", "D", "_"}),
    ("\tC, D\n", "\tD, C\n", {"C", "D"}),
    ("= 7", "= 8", {"E"}),
    ("\tE    = 7\n", "\t// Deprecated: no.\n\tE = 7\n", {"E"}),
    # Variables.
    ("int = start()", "int = stop()", NOTHING),
    ("int = start()", "int64 = start()", {"Limit"}),
    ("int = start()", "= start()", {"Limit"}),
    ('"a": Limit', '"b": Limit', {"table"}),
    ("(*Cart)(nil)", "Cart{}", NOTHING),
    # Imports: what a name in a signature means.
    ('"fmt"', '"other/fmt"', {"fmt", "other"}),
    ('l "example.org/lib"', 'l "example.org/lib/v2"', {"l"}),
    ('\t"fmt"\n', '\t"fmt"\n\t"os"\n', {"os"}),
    ('\t"fmt"\n', '\t"fmt"\n\t. "os"\n', {"FRAME"}),
    ('\t"fmt"\n', '\t"fmt"\n\t_ "os"\n', NOTHING),
    # All of it.
    ("package shop", "package store", {"FRAME"}),
    ("//go:build linux", "//go:build darwin", {"FRAME"}),
    ("package shop", "//go:debug x=1\npackage shop", {"FRAME"}),
    ("func New(n int) *Cart {", "func New(n int *Cart {", {"FRAME"}),
    ("import (", '// #include "x.h"\nimport "C"\nimport (', {"FRAME"}),
]


@pytest.mark.parametrize(("before", "after", "expected"), EDITS)
def test_what_others_see_of_an_edit(before: str, after: str, expected: set[str]):
    assert SOURCE.count(before) >= 1
    assert changed(SOURCE, SOURCE.replace(before, after, 1)) == expected


def one(text: str, name: str) -> Declaration:
    found = [d for d in read("a.go", f"package x\n{text}".encode()).declarations if d.name == name]
    assert len(found) == 1
    return found[0]


def test_members_change_their_owner_and_are_found_by_no_name_at_the_top():
    found = {
        (d.owner, d.name): (d.exported, d.of_owner)
        for d in read("a.go", SOURCE.encode()).declarations
    }
    assert found == {
        **{("", name): ((), False) for name in ("fmt", "l", "init")},
        **{
            ("", name): ((name,), False)
            for name in ("A", "B", "C", "D", "E", "Limit", "table", "Cart", "Buyer", "List")
        },
        **{("", name): ((name,), False) for name in ("New", "Logf")},
        **{("Cart", name): ((), True) for name in ("Items", "Base", "inner", "Buy")},
        ("Cart.inner", "deep"): ((), True),
        ("Buyer", "Buy"): ((), True),
    }


def test_what_a_declaration_mentions():
    found = one("func F(a pkg.T) error { var x = y.z; // w\n\treturn G{key: s.\n\tt} }", "F")
    assert found.shown == Mentions(frozenset({"func", "F", "a", "pkg", "error"}), frozenset({"T"}))
    assert found.inner == Mentions(
        frozenset({"var", "x", "y", "return", "G", "key", "s"}), frozenset({"z", "key", "t"})
    )
    assert one("func F(a ...T) {}", "F").shown.names == {"func", "F", "a", "T"}
    assert one("var X T = f(q)", "X").inner.names == {"f", "q"}
    assert one("const (\n\tX = Q + 1\n\tY\n)", "Y").shown.names == {"Y", "Q"}
    assert one("func (t T) M() {}", "M").shown.members == {"M"}
    assert read("a.go", SOURCE.encode()).loose.names == {"_", "Buyer", "Cart", "nil"}


@pytest.mark.parametrize(
    "text", ["package x\nfunc f( {", "package x\ntype T struct {", "x", "pack"]
)
def test_errors_may_hide_a_declaration(text: str):
    assert not read("a.go", text.encode()).is_sound


@given(st.text("abc(){}[]\n\"'`/*=: ,.", max_size=60))
def test_any_text_is_read(text: str):
    read("a.go", f"package x\nvar {text}\ntype T struct {{ {text}".encode())
