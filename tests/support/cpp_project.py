"""The C++ sample project: headers on two layers, an umbrella header, sources that use them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.support.sample import NOUNS, Change, Project, Snippets, filled

_CORE = """\
// Stock records: @noun@s.
#pragma once

#define @UPPER@_SHELF 4

namespace shop {

constexpr int @noun@_limit = @limit@;

enum class @Cls@State { shelved, sold };

struct @Cls@ {
  const char *name;
  int count;
  double price;
};

@Cls@ make_@noun@(const char *name, int count);

int total_@noun@(const @Cls@ *items, int n);

inline auto label_@noun@(const @Cls@ &item) { return item.name; }

template <typename T> class @Cls@Shelf {
public:
  int put(const T &item) {
    last = item;
    return ++size;
  }

private:
  T last{};
  int size = 0;
};

} // namespace shop
"""

_SERVICE = """\
// What the shop does with @noun@s.
#ifndef SHOP_@UPPER@_SERVICE_H
#define SHOP_@UPPER@_SERVICE_H

#include @include@

namespace shop {

@Cls@ restock_@noun@(const char *name);

inline double cost_@noun@(const @Cls@ &item) { return item.price * item.count; }

inline auto name_@noun@(const @Cls@ &item) { return label_@noun@(item); }

} // namespace shop

#endif
"""

_SOURCE = """\
#include "shop/@noun@_service.hpp"

#include "shop/@noun@.hpp"

namespace shop {

@Cls@ make_@noun@(const char *name, int count) { return @Cls@{name, count, @price@}; }

int total_@noun@(const @Cls@ *items, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += items[i].count;
  }
  return sum;
}

@Cls@ restock_@noun@(const char *name) { return make_@noun@(name, @noun@_limit); }

} // namespace shop
"""

_REPORT = """\
// Lines about @noun@s for the printed report.
#include "@all@"

const char *line_@noun@() {
  const shop::@Cls@ item = shop::restock_@noun@("@noun@");
  const char *name = shop::name_@noun@(item);
  return name;
}

int count_@noun@() {
  shop::@Cls@Shelf<shop::@Cls@> shelf;
  const int put = shelf.put(shop::restock_@noun@("one"));
  const shop::@Cls@ items[@UPPER@_SHELF] = {shop::restock_@noun@("two")};
  return put + shop::total_@noun@(items, @UPPER@_SHELF);
}

bool gone_@noun@(shop::@Cls@State state) { return state == shop::@Cls@State::sold; }

double cost_of_@noun@(const shop::@Cls@ &item) { return shop::cost_@noun@(item); }
"""

_FLAWED = """\
// Left over from the first version; known to be wrong.
#include "shop/@noun@.hpp"

int old_limit() { return shop::@noun@_bound; }

int old_count() {
  int unused_here = 1;
  return 2;
}

const char *old_name() {
  return shop::make_@noun@("old", 1).title;
}
"""

_NEW_FILE = """\
// A new source that uses an old header wrongly.
#include "shop/@noun@.hpp"

shop::@Cls@ first() { return shop::make_@noun@("first"); }

int second() { return shop::make_@noun@("second", 2).name; }
"""

SNIPPETS = Snippets(
    wrong=(
        "inline int extra_@n@() { return missing_@n@; }\n\n",
        'inline int extra_@n@() { return "text"; }\n\n',
        "inline void extra_@n@() {\n  int unused_@n@ = 1;\n}\n\n",
        "struct Extra@n@ {\n  Missing@n@ member;\n};\n\n",
    ),
    harmless=(
        "// Says nothing new (@n@).\n\n",
        "inline int extra_@n@() { return @n@; }\n\n",
        "\n\n",
    ),
    broken=(
        "inline int extra_@n@(int first,\n\n",
        "inline int extra_@n@() {\n  if (true) {\n    return 1;\n\n",
        'inline const char *extra_@n@() { return "half a string; }\n\n',
        "#if EXTRA_@n@\n\n",
    ),
)
_FIXES = (
    Change("src/legacy.cpp", (("_bound", "_limit"),), "name"),
    Change("src/legacy.cpp", (("1).title;", "1).name;"),), "member"),
    Change("src/legacy.cpp", (("  int unused_here = 1;\n", ""),), "unused variable"),
)


def make(rng: random.Random) -> Project:
    """Eighteen files: `include/shop` (two headers a noun, an umbrella) <- `src`."""
    nouns = rng.sample(NOUNS, 4)
    files: dict[str, str] = {}
    cross: list[Change] = []
    for index, noun in enumerate(nouns):
        words = {
            "limit": str(rng.randrange(10, 90)),
            "price": f"{rng.randrange(1, 9)}.5",
            "include": ('"shop/@noun@.hpp"', '"@noun@.hpp"', "<shop/@noun@.hpp>")[index % 3],
            "all": ("shop/all.hpp", "../include/shop/all.hpp")[index % 2],
        }
        files[f"include/shop/{noun}.hpp"] = filled(_CORE, noun, **words)
        files[f"include/shop/{noun}_service.hpp"] = filled(_SERVICE, noun, **words)
        files[f"src/{noun}.cpp"] = filled(_SOURCE, noun, **words)
        files[f"src/{noun}_report.cpp"] = filled(_REPORT, noun, **words)
        cross += _cross_changes(noun, words["limit"])
    files["src/legacy.cpp"] = filled(_FLAWED, nouns[0])
    sources = tuple(sorted(files))
    umbrella = "".join(
        f'#include "{noun}{end}.hpp" // IWYU pragma: export\n'
        for noun in sorted(nouns)
        for end in ("", "_service")
    )
    files["include/shop/all.hpp"] = f"// Every record.\n#pragma once\n\n{umbrella}"
    files["compile_flags.txt"] = "-std=c++17\n-Wall\n-Iinclude\n"
    new_file = {"src/extra.cpp": filled(_NEW_FILE, nouns[1])}
    return Project("cpp", files, sources, SNIPPETS, tuple(cross), fixes=_FIXES, new_files=new_file)


def _cross_changes(noun: str, limit: str) -> Iterator[Change]:
    """Changes of one noun's headers; each breaks a file it leaves alone."""
    cls, core = noun.title(), f"include/shop/{noun}.hpp"
    head = f"make_{noun}(const char *name, int count)"
    in_core: list[tuple[str, list[tuple[str, str]]]] = [
        ("new parameter", [(head, f"make_{noun}(const char *name, int count, int at)")]),
        ("member renamed", [("  int count;", "  int amount;")]),
        ("member's type", [("  const char *name;", "  int name;")]),
        ("inferred return type", [("{ return item.name; }", "{ return item.count; }")]),
        ("constant's type", [(f"int {noun}_limit = {limit}", f'const char *{noun}_limit = "x"')]),
        ("enumerator renamed", [("shelved, sold", "shelved, gone")]),
        ("template's method", [("  int put(", "  void put("), ("return ++size", "++size")]),
        ("macro", [(f"{noun.upper()}_SHELF 4", f'{noun.upper()}_SHELF "four"')]),
        ("half a class", [("  double price;\n};", "  double price;\n")]),
    ]
    for label, swaps in in_core:
        yield Change(core, tuple(swaps), label)
    renamed = (f"make_{noun}", f"new_{noun}")
    yield Change(core, ((head, head.replace(*renamed)),), "renamed function", renamed)
    service = (f"cost_{noun}(const {cls} &item)", f"cost_{noun}(const {cls} &item, int)")
    yield Change(f"include/shop/{noun}_service.hpp", (service,), "new parameter of a service")
