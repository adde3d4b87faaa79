"""The Rust sample project: a workspace of two crates, modules in both, tests beside them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.support.sample import NOUNS, Change, Project, Snippets, filled

_CORE = """\
//! Stock records: @noun@s.

pub const LIMIT: u32 = @limit@;

#[derive(Debug, Clone)]
pub struct @Cls@ {
    pub name: String,
    pub count: u32,
}

pub fn make(name: &str, count: u32) -> @Cls@ {
    @Cls@ { name: name.to_string(), count }
}

pub fn total(items: &[@Cls@]) -> u32 {
    items.iter().map(|item| item.count).sum()
}

pub fn label(item: &@Cls@) -> String {
    format!("{} x{}", item.name, item.count)
}
"""

_SERVICE = """\
//! What the shop does with @noun@s.

use stock::@noun@::{self, @Cls@};

pub fn restock(name: &str) -> @Cls@ {
    @noun@::make(name, @noun@::LIMIT)
}

pub fn lines(items: &[@Cls@]) -> Vec<String> {
    let total: u32 = @noun@::total(items);
    let first: String = @noun@::label(&items[0]);
    vec![first, total.to_string()]
}
"""

_TEST = """\
use stock::@noun@::{make, total};

#[test]
fn adds_up() {
    assert_eq!(total(&[make("one", 1)]), 1);
}
"""

_FLAWED = """\
//! Left over from the first version; known to be careless.

pub fn old_limit() -> u32 {
    let unused = 1;
    2
}

pub fn old_name() -> String {
    let mut name = String::from("old");
    name
}
"""

_MANIFEST = '[package]\nname = "@crate@"\nversion = "0.1.0"\nedition = "2021"\n'
_ON_STOCK = '\n[dependencies]\nstock = { path = "../stock" }\n'

SNIPPETS = Snippets(
    wrong=(
        "pub fn extra@n@() -> u32 {\n    missing@n@\n}\n\n",
        'pub fn extra@n@() -> u32 {\n    "text"\n}\n\n',
        "pub fn extra@n@() {\n    let unused@n@ = 1;\n}\n\n",
        "pub struct Extra@n@ {\n    pub member: Missing@n@,\n}\n\n",
    ),
    harmless=(
        "// Says nothing new (@n@).\n\n",
        "pub fn extra@n@() -> u32 {\n    @n@\n}\n\n",
        "\n\n",
    ),
    broken=(
        "pub fn extra@n@(first: u32,\n\n",
        "pub fn extra@n@() -> u32 {\n    if true {\n        return 1;\n\n",
        'pub const EXTRA@n@: &str = "half a string;\n\n',
    ),
)
_FIXES = (
    Change("shop/src/legacy.rs", (("let unused = 1;\n", "let used = 1;\n    used +\n"),), "unused"),
    Change("shop/src/legacy.rs", (("let mut name", "let name"),), "never changed"),
)


def make(rng: random.Random) -> Project:
    """A dozen files: the crate `stock` <- the crate `shop`, whose old warnings stand in one."""
    nouns = rng.sample([noun for noun in NOUNS if noun != "crate"], 3)  # a word of the language
    files = {"Cargo.toml": '[workspace]\nmembers = ["shop", "stock"]\nresolver = "2"\n'}
    cross: list[Change] = []
    for noun in nouns:
        limit = str(rng.randrange(10, 90))
        files[f"stock/src/{noun}.rs"] = filled(_CORE, noun, limit=limit)
        files[f"shop/src/{noun}.rs"] = filled(_SERVICE, noun)
        files[f"stock/tests/{noun}_test.rs"] = filled(_TEST, noun)
        cross += _cross_changes(noun)
    files["shop/src/legacy.rs"] = _FLAWED
    sources = tuple(sorted(path for path in files if path.endswith(".rs")))
    files["stock/src/lib.rs"] = "".join(f"pub mod {noun};\n" for noun in nouns)
    files["shop/src/lib.rs"] = "".join(f"pub mod {name};\n" for name in (*nouns, "legacy"))
    files["stock/Cargo.toml"] = _MANIFEST.replace("@crate@", "stock")
    files["shop/Cargo.toml"] = _MANIFEST.replace("@crate@", "shop") + _ON_STOCK
    files[".gitignore"] = "target\n"
    return Project("rust", files, sources, SNIPPETS, tuple(cross), fixes=_FIXES)


def _cross_changes(noun: str) -> Iterator[Change]:
    """Changes of one noun's core module; each breaks a file it leaves alone."""
    path = f"stock/src/{noun}.rs"
    head = "pub fn make(name: &str, count: u32)"
    yield Change(path, ((head, head.replace("count: u32", "count: u32, _at: u8")),), "parameter")
    yield Change(path, (("pub const LIMIT: u32", "pub const LIMIT: u64"),), "constant's type")
    yield Change(path, (("pub fn total(", "fn total("),), "no longer public")
    yield Change(path, (("pub fn label(", "pub fn text("),), "renamed function")
