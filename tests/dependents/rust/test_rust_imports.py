"""What a Rust text takes from other files, form by form of the language's reference."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.syntax.model import ALL, WHOLE, Binding
from understudy.syntax.rust.imports import read


def imported(text: str) -> list[str]:
    """Each import as its kind and target."""
    return [f"{one.kind} {one.target}" for one in read("a.rs", text.encode()).imports]


NONE: list[str] = []

FORMS = [
    # Modules: Reference, Items, Modules.
    ("mod a;", ["mod a"]),
    ("pub mod a;\npub(crate) mod b;\npub(in super::x) mod c;", ["mod a", "mod b", "mod c"]),
    ("mod r#match;", ["mod match"]),
    ("mod größe;", ["mod größe"]),
    ("unsafe mod a;", ["mod a"]),
    ("#[cfg(test)]\nmod tests;", ["mod tests"]),
    ("mod a { mod b; }", ["mod a/b"]),
    ("mod a { pub mod b { mod c; } mod d; }", ["mod a/b/c", "mod a/d"]),
    ("fn f() { mod a; }", ["mod a"]),
    ('#[path = "x/y.rs"] mod a;', ["path x/y.rs"]),
    ('#[path = "x.rs"]\n#[cfg(unix)]\n// a note\npub mod a;', ["path x.rs"]),
    ('#[cfg(unix)]\n#[path="x.rs"]\nmod a;\nmod b;', ["path x.rs", "mod b"]),
    ('#[path = r"x.rs"] mod a;', ["path x.rs"]),
    ('#[cfg_attr(unix, path = "unix.rs")]\nmod sys;', ["path unix.rs", "mod sys"]),
    ('#[cfg_attr(unix, path = "u.rs")]\n#[cfg_attr(windows, path = "w.rs")]\nmod s;',
     ["path u.rs", "path w.rs", "mod s"]),
    ('mod a { #[path = "x.rs"] mod b; }', ["inner path a/x.rs"]),
    ('#[path = "dir"] mod a { mod b; #[path = "c.rs"] mod c; }',
     ["mod dir/b", "inner path dir/c.rs"]),
    ("mod a {}", NONE),
    ('#[path = "x.rs"] mod a {}', NONE),
    # In macros' arguments.
    ("cfg_if! { if #[cfg(unix)] { mod a; } else { pub mod b; } }", ["mod a", "mod b"]),
    ('items! { #[path = "x.rs"] mod a; mod b { mod c; } }', ["path x.rs", "mod b/c"]),
    ("macro_rules! m { () => { mod a; }; ($n:ident) => { mod $n; } }", ["mod a"]),
    # Macros that include: std.
    ('include!("a.rs");', ["include a.rs"]),
    ('const S: &str = include_str!("../a.md");', ["include_str ../a.md"]),
    ('static B: &[u8] = include_bytes! { r#"a.bin"# };', ["include_bytes a.bin"]),
    ('fn f() { g(vec![include_str!("a", /* note */)]); }', ["include_str a"]),
    ('let x = std::include_str!["a"];', ["include_str a"]),
    ('#![doc = include_str!("../README.md")]', ["include_str ../README.md"]),
    ('#[cfg_attr(doc, doc = include_str!("a.md"))] fn f() {}', ["include_str a.md"]),
    ('println!("{}", include_str!("a\\"b"));', ['include_str a"b']),
    ('include!(concat!(env!("OUT_DIR"), "/bindings.rs"));', ["include of the build "]),
    ('include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", "a.md"))',
     ["include_str below the package ../a.md"]),
    ('include_str!(concat!("a", ".md"))', ["include_str "]),
    ("include!(NAME!())", ["include "]),
    ('include_dir!("a"); reinclude!("b"); include = 3;', NONE),
    # Names of crates.
    ("use a::b;", ["use a"]),
    ("use a;", ["use a"]),
    ("use ::a::b as c;", ["use a"]),
    ("pub use a::{b::{c, d}, e::*};", ["use a"]),
    ("use {a::{b, c}, d, e::*};", ["use a", "use d", "use e"]),
    ("use r#try::x;", ["use try"]),
    ("use a /* b::c */ ::d; // use e;", ["use a"]),
    ("use crate::a; use self::b; use super::c; use crate::{d, e};", NONE),
    ("extern crate a;\n#[macro_use] pub extern crate b as c;",
     ["extern crate a", "extern crate b"]),
    ("fn f() -> impl Sized + use<'a, T> {}", NONE),
    # Comments and strings.
    ('// mod a;\n/* mod b; /* nested */ include!("c") */\n/// use d;', NONE),
    ('let s = "mod a; use b; include!(\\"c\\")";', NONE),
    ('let s = r#"\nmod a;\n"#; let c = \'"\'; mod b;', ["mod b"]),
    ("fn f<'a>(x: &'a str) {} mod b;", ["mod b"]),
    # Half-written.
    ("mod a", NONE),
    ("mod", NONE),
    ("mod a;\nfn f( {", ["mod a"]),
    ("fn f() { let x = ;\nmod a;", ["mod a"]),
    ('}}}\nmod a;\ninclude!("b.rs"', ["mod a", "include b.rs"]),
    ('impl X {\n#[path = "x.rs"] mod a;', ["path x.rs"]),
    ("use", NONE),
    ("use a::", ["use a"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_imports(text: str, expected: list[str]):
    assert imported(text) == expected


def test_what_an_import_takes():
    text = b'mod a; include!("b"); include_str!("c"); use d::e;'
    everything, whole = (Binding(ALL, ALL, ALL),), (Binding(WHOLE),)
    assert [one.bindings for one in read("a.rs", text).imports] == [
        everything, everything, whole, whole,
    ]  # fmt: skip


@given(
    st.lists(st.sampled_from(["mod a;", "mod b { ", "}", "/*", "*/", '"', '#[path="x"]', "use "]))
)
def test_any_pieces_are_read(pieces: list[str]):
    read("a.rs", " ".join(pieces).encode())
