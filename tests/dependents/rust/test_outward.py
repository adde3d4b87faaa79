"""Whether a text of Rust names what other files have."""

from __future__ import annotations

import pytest

from understudy.syntax.rust.outward import names_others

OWN = (
    "",
    "pub const TABLE: [u8; 2] = [1, 2];\n",
    '// use std::fs; a::b, #[test], mod x;\npub const A: &str = "crate::b!()";\n',
    "struct P { a: u32 }\nfn f(p: P) -> u32 { p.a + 1 }\n",
    "/* impl A for B */ static S: bool = 1 != 2;\n",
)
OTHERS = (
    "use std::fs;\n",
    "mod a;\n",
    "pub const A: u8 = crate::B;\n",
    "fn f() -> std::io::Error { loop {} }\n",
    'fn f() { println!(""); }\n',
    "macro_rules! m { () => {} }\n",
    "#[derive(Debug)]\nstruct A;\n",
    "#![no_std]\n",
    "extern crate a;\n",
    "impl A { }\n",
    "fn f() { super::g() }\n",
    "fn f( {\n",
)


@pytest.mark.parametrize("text", OWN)
def test_what_stands_alone(text: str):
    assert not names_others(text.encode())


@pytest.mark.parametrize("text", OTHERS)
def test_what_may_name_something_else(text: str):
    assert names_others(text.encode())
