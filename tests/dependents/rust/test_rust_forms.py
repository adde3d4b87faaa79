"""Whom edits of small packages reach; cargo's word is in `agreement`."""

from __future__ import annotations

import pytest

from tests.dependents.graphs import edits_between, reach_of
from tests.support.rust_forms import RustForm, rust_forms, unseen_forms

FORMS, UNSEEN = rust_forms(), unseen_forms()

TRAIT = "pub trait Tr { fn m(&self) {} }\nimpl Tr for S { fn m(&self) { let _ = 1; } }\n"
OTHERS = {
    "src/b.rs": "pub use crate::a::*;\npub use crate::c::*;\n",
    "src/c.rs": "use crate::b::*;\npub fn f() {}\n",
    "src/d.rs": "pub fn g() {}\n#[cfg(test)] mod tests { use super::*; fn t() { g() } }\n",
}
QUIET = [
    (f"pub struct S;\n{TRAIT.replace('1', '@')}", "1", "2", set[str]()),
    (f"pub struct S;\n{TRAIT}fn f() {{}}\n@", "", "fn private() {}\n", set[str]()),
    (f"pub struct S;\n{TRAIT}@", "", "impl Tr for u8 {}\n", {"src/b.rs", "src/c.rs"}),
    ('pub fn f() { println!("{}", @); }\n', "1", "2", set[str]()),
    (f"pub struct S(@);\n{TRAIT}", "u8", "u16", set[str]()),
    ("use std::fmt;\n@impl fmt::Debug for S {}\n", "struct S;", "pub struct S;", {"src/b.rs"}),
]
"""A text of `a.rs`, what stands in it before and after, and whom of the others that reaches."""


@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_whom_an_edit_reaches(form: RustForm) -> None:
    reach = reach_of(form.before, edits_between(form.before, form.after))
    assert reach.keys() - form.edited() == form.expected
    # What is told by name is written there.
    assert not any(name.startswith("*") for one in reach.values() for name in one.names)


@pytest.mark.parametrize("form", UNSEEN, ids=[form.name for form in UNSEEN])
def test_an_edit_reaches_who_need_not_name_what_has_changed(form: RustForm) -> None:
    reach = reach_of(form.before, edits_between(form.before, form.after))
    assert form.expected <= reach.keys()
    assert not any(name.startswith("*") for one in reach.values() for name in one.names)


@pytest.mark.parametrize(("text", "before", "after", "expected"), QUIET)
def test_whom_wildcards_let_alone(text: str, before: str, after: str, expected: set[str]) -> None:
    modules = "".join(f"pub mod {name};\n" for name in "abcd")
    files = {"Cargo.toml": '[package]\nname = "one"\n', "src/lib.rs": modules, **OTHERS}
    files["src/a.rs"] = text.replace("@", before)
    reach = reach_of(files, {"src/a.rs": text.replace("@", after)})
    assert reach.keys() - {"src/a.rs"} == expected
