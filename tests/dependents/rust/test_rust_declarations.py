"""What a Rust text declares, and which edits others can see."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import Mentions
from understudy.syntax.rust.declarations import read
from understudy.syntax.rust.unseen import GIVEN, GIVEN_BELOW, IN_SCOPE

SOURCE = """\
#![allow(dead_code)]
use std::{fmt, io::Read as R};
/// A cart.
#[derive(Clone)]
pub struct Cart<'a> { pub items: Vec<&'a str>, n: u32 }
pub enum Kind { Small, Large { size: u8 } }
pub trait Buy { fn buy(&self, n: u32) -> u32 { n + 1 } fn sell(&self); }
impl<'a> Buy for Cart<'a> { fn sell(&self) { log("http://x") } }
impl Cart<'_> { pub fn new() -> Self { make('"') } }
pub fn plain(a: u32) -> u32 { a + 1 }
pub const fn fixed() -> u32 { 2 }
pub fn some() -> impl Read { open() }
pub const LIMIT: u32 = 3;
mod inner { pub fn deep() {} }
extern "C" { fn far(a: i32); }
macro_rules! twice { ($a:expr) => { $a + $a } }
"""


def changed(before: str, after: str) -> set[str]:
    """The names whose outside differs; FRAME where everything has changed."""
    left, right = read("a.rs", before.encode()), read("a.rs", after.encode())
    if left.frame != right.frame or not (left.is_sound and right.is_sound):
        return {"FRAME"}
    sides: list[defaultdict[str, list[str]]] = []
    for declarations in (left.declarations, right.declarations):
        found: defaultdict[str, list[str]] = defaultdict(list)
        for one in declarations:
            found[f"{one.owner}.{one.name}" if one.owner else one.name].append(one.outside)
        sides.append(found)
    return {name for name in sides[0] | sides[1] if sides[0].get(name) != sides[1].get(name)}


NOTHING: set[str] = set()
EDITS = [
    ("/// A cart.", "/// The cart. /* */", NOTHING),
    ("{ a + 1 }", "{\n    a + 2 // more\n}", NOTHING),
    ("{ n + 1 }", "{ n }", NOTHING),
    ("make('\"')", "make('\"', 2)", NOTHING),
    ('log("http://x")', 'log("http://y")', NOTHING),
    ("plain(a: u32)", "plain(a: u64)", {"plain"}),
    ("pub fn plain", "#[inline]\npub fn plain", {"plain"}),
    ("pub fn plain", "fn plain", {"plain", GIVEN, GIVEN_BELOW}),
    ("{ 2 }", "{ 3 }", {"fixed"}),
    ("open()", "close()", {"some"}),
    ("= 3;", "= 4;", {"LIMIT"}),
    ("derive(Clone)", "derive(Copy)", {"Cart"}),
    ("n: u32 }\n", "n: u64 }\n", {"Cart", "Cart.n"}),
    ("size: u8", "size: u16", {"Kind", "Kind.Large", "Kind.Large.size"}),
    ("Small,", "Small = 1,", {"Kind", "Kind.Small"}),
    ("fn sell(&self);", "fn sell(&mut self);", {"Buy.sell", "*Buy.sell"}),
    ("pub trait Buy {", "pub trait Buy: Sized {", {"Buy", IN_SCOPE}),
    ("impl<'a> Buy for", "impl<'a> Sell for", {"Buy", "Sell", "Cart", "a", IN_SCOPE}),
    ("fn new()", "fn new(a: u8)", {"Cart.new"}),
    ("fn deep() {}", "fn deep() { f() }", NOTHING),
    ("fn deep()", "fn deep(a: u8)", {"inner.deep"}),
    ("mod inner {", "pub mod inner {", {"inner", GIVEN, GIVEN_BELOW}),
    ("far(a: i32)", "far(a: i64)", {"far"}),
    ('extern "C"', 'extern "system"', {"far"}),
    ("$a + $a }", "$a * 2 }", {"twice"}),
    ("fmt, io::Read as R", "fmt, io::Write as R", {"R", IN_SCOPE, GIVEN_BELOW}),
    ("use std::{fmt, io::Read as R};", "use std::*;", {"FRAME"}),
    ("#![allow(dead_code)]", "#![no_std]", {"FRAME"}),
    ("pub const LIMIT", "thing! { x }\npub const LIMIT", {"FRAME"}),
    ("mod inner {", "mod inner {{", {"FRAME"}),
]


@pytest.mark.parametrize(("before", "after", "expected"), EDITS)
def test_what_others_see_of_an_edit(before: str, after: str, expected: set[str]):
    assert before in SOURCE
    assert changed(SOURCE, SOURCE.replace(before, after, 1)) == expected


def test_members_change_their_owner_and_only_variants_are_found_at_the_top():
    found = read("a.rs", SOURCE.encode()).declarations
    members = {f"{one.owner}.{one.name}" for one in found if one.of_owner}
    assert members == {
        *("Cart.items", "Cart.n", "Kind.Small", "Kind.Large", "Kind.Large.size"),
        *("Buy.buy", "Buy.sell", "Cart.sell", "Cart.new"),
    }
    at_top = {f"{one.owner}.{one.name}" for one in found if one.of_owner and one.exported}
    assert at_top == {"Kind.Small", "Kind.Large"}


def test_what_a_declaration_mentions():
    found = read("a.rs", b"fn f(a: p::T) -> U { a.b(C::D, E { key: 1 }) // w\n}").declarations[0]
    names = frozenset({"fn", "f", "a", "p", "T", "U"})
    assert found.shown == Mentions(names, frozenset({"a", "U", "T"}))
    assert found.inner == Mentions(
        frozenset({"a", "C", "D", "E", "key"}), frozenset({"b", "D", "key"})
    )


@given(st.text("ab(){};:,=#<>\n\"'/*!|& fnimpl", max_size=60))
def test_any_text_is_read(text: str):
    read("a.rs", text.encode())


INSIDE = "#[{}]\npub fn f() {{ {} }}\n"
CODE_THAT_IS_SEEN = [
    ("inline", "a();", False),
    ("tokio::test", "a();", False),
    ("component", "a();", True),
    ("web::component(x)", "a();", True),
    ('cfg_attr(feature = "x", component)', "a();", True),
    ("inline", "impl A for B {}", True),
    ("inline", "macro_rules! m { () => {} }", True),
]


@pytest.mark.parametrize(("attribute", "code", "is_seen"), CODE_THAT_IS_SEEN)
def test_code_in_a_body_that_makes_something_outside(
    attribute: str, code: str, is_seen: bool
) -> None:
    before, after = (INSIDE.format(attribute, one) for one in (code, f"{code} b();"))
    assert changed(before, after) == ({"FRAME"} if is_seen else NOTHING)


def test_what_a_macro_makes_of_an_implementation() -> None:
    before = "#[exported]\nimpl A { fn f() { a() } }\n"
    assert changed(before, before.replace("a()", "b()")) == {"FRAME"}


def test_paths_that_are_longer_than_any_text_are_not_taken() -> None:
    before, leaves = "::{".join(["x" * 100] * 100), ",".join(f"a{number}" for number in range(200))
    text = f"use {before}::{{{leaves}{'}' * 100};\n"
    found = read("a.rs", text.encode())
    assert not found.is_sound
    assert len(found.declarations) < 200
    assert read("a.rs", text.replace("x" * 100, "x").encode()).is_sound
