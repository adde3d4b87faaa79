"""The Go sample project: packages of several files on three layers, tests beside them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.support.sample import NOUNS, Change, Project, Snippets, filled

_CORE = """\
// Package @noun@ keeps stock records.
package @noun@

// Limit is how many fit on a shelf.
const Limit = @limit@

// Item is one kind of @noun@.
type Item struct {
	Name  string
	Count int
	Price float64
}

// Store is where items are kept.
type Store interface {
	Put(item Item) int
}

// Make returns a new item.
func Make(name string, count int) Item {
	return Item{Name: name, Count: count, Price: @price@}
}

// Total adds up what there is.
func Total(items []Item) int {
	sum := 0
	for _, item := range items {
		sum += item.Count
	}
	return sum
}
"""

_SHELF = """\
package @noun@

import "fmt"

// Shelf is a Store.
type Shelf[T any] struct {
	items []T
}

// Put adds an item and returns how many there are.
func (shelf *Shelf[T]) Put(item T) int {
	shelf.items = append(shelf.items, item)
	return len(shelf.items)
}

// Label is what stands on the shelf.
func Label(item Item) string {
	return fmt.Sprintf("%s x%d", item.Name, item.Count)
}

var _ Store = &Shelf[Item]{}
"""

_CORE_TEST = """\
package @noun@_test

import (
	"testing"

	"example.org/shop/stock/@noun@"
)

func TestTotal(t *testing.T) {
	if got := @noun@.Total([]@noun@.Item{@noun@.Make("one", 1)}); got != 1 {
		t.Errorf("got %d", got)
	}
}
"""

_SERVICE = """\
package service

import @alias@"example.org/shop/stock/@noun@"

// Restock@Cls@ fills the shelf.
func Restock@Cls@(name string) @noun@.Item {
	return @noun@.Make(name, @noun@.Limit)
}

// Cost@Cls@ is what all of an item cost.
func Cost@Cls@(item @noun@.Item) float64 {
	return item.Price * float64(item.Count)
}

func label@Cls@(item @noun@.Item) string {
	return @noun@.Label(item)
}
"""

_REPORT = """\
package report

import (
	"example.org/shop/service"
	"example.org/shop/stock/@noun@"
)

// Lines@Cls@ are what is printed about @noun@s.
func Lines@Cls@() []string {
	item := service.Restock@Cls@("@noun@")
	var text string = @noun@.Label(item)
	return []string{text}
}

// Count@Cls@ counts what is on the shelf.
func Count@Cls@() int {
	var store @noun@.Store = &@noun@.Shelf[@noun@.Item]{}
	put := store.Put(service.Restock@Cls@("one"))
	cost := service.Cost@Cls@(service.Restock@Cls@("two"))
	return put + int(cost) + @noun@.Total(nil)
}
"""

_FLAWED = """\
// Package legacy is left over from the first version; known to be wrong.
package legacy

import "example.org/shop/stock/@noun@"

func oldLimit() string {
	return @noun@.Bound
}

func oldName() string {
	return @noun@.Make("old", 1).Title
}

func oldCount() int {
	unused := 1
	return 2
}
"""

_NEW_FILE = """\
package service

import "example.org/shop/stock/@noun@"

func first() @noun@.Item {
	return @noun@.Make("first")
}

func second() int {
	return @noun@.Make("second", 2).Name
}
"""

SNIPPETS = Snippets(
    wrong=(
        "func extra@n@() int {\n\treturn missing@n@\n}\n\n",
        'func extra@n@() int {\n\treturn "text"\n}\n\n',
        "func extra@n@() {\n\tunused@n@ := 1\n}\n\n",
        "func extra@n@(x int) {\n\tx = x\n}\n\n",
        "type extra@n@ struct {\n\tmember missing@n@\n}\n\n",
    ),
    harmless=(
        "// Says nothing new (@n@).\n\n",
        "func extra@n@() int {\n\treturn @n@\n}\n\nvar _ = extra@n@\n\n",
        "\n\n",
    ),
    broken=(
        "func extra@n@(first int,\n\n",
        "func extra@n@() int {\n\tif true {\n\t\treturn 1\n\n",
        'var extra@n@ = "half a string\n\n',
    ),
)
_FIXES = (
    Change("legacy/legacy.go", ((".Bound", '.Make("", 1).Name'),), "name"),
    Change("legacy/legacy.go", (("1).Title", "1).Name"),), "field"),
    Change("legacy/legacy.go", (("\tunused := 1\n", ""),), "unused variable"),
)


def make(rng: random.Random) -> Project:
    """Seventeen files: `stock/*` <- `service` <- `report`, and a command."""
    nouns = rng.sample(NOUNS, 3)
    files: dict[str, str] = {"go.mod": "module example.org/shop\n\ngo 1.21\n"}
    cross: list[Change] = []
    for index, noun in enumerate(nouns):
        words = {
            "limit": str(rng.randrange(10, 90)),
            "price": f"{rng.randrange(1, 9)}.5",
            "alias": ("", f"{noun} ")[index % 2],
        }
        files[f"stock/{noun}/{noun}.go"] = filled(_CORE, noun, **words)
        files[f"stock/{noun}/shelf.go"] = filled(_SHELF, noun, **words)
        files[f"stock/{noun}/{noun}_test.go"] = filled(_CORE_TEST, noun, **words)
        files[f"service/{noun}.go"] = filled(_SERVICE, noun, **words)
        files[f"report/{noun}.go"] = filled(_REPORT, noun, **words)
        cross += _cross_changes(noun, words["limit"])
    files["legacy/legacy.go"] = filled(_FLAWED, nouns[0])
    sources = tuple(sorted(path for path in files if path.endswith(".go")))
    new_file = {"service/extra.go": filled(_NEW_FILE, nouns[1])}
    return Project("go", files, sources, SNIPPETS, tuple(cross), fixes=_FIXES, new_files=new_file)


def _cross_changes(noun: str, limit: str) -> Iterator[Change]:
    """Changes of one noun's packages; each breaks a file it leaves alone."""
    core, shelf = f"stock/{noun}/{noun}.go", f"stock/{noun}/shelf.go"
    head = "func Make(name string, count int) Item"
    changes: list[tuple[str, str, list[tuple[str, str]]]] = [
        (core, "new parameter", [(head, "func Make(name string, count int, at string) Item")]),
        (core, "field renamed", [("\tCount int\n", "\tAmount int\n")]),
        (core, "field's type", [("\tPrice float64", "\tPrice string")]),
        (core, "constant's type", [(f"Limit = {limit}", f'Limit = "{limit}"')]),
        (core, "interface's method", [("\tPut(item Item) int", "\tPut(item Item) string")]),
        (core, "another package name", [(f"\npackage {noun}\n", "\npackage other\n")]),
        (shelf, "result's type", [("Label(item Item) string", "Label(item Item) int")]),
        (shelf, "method renamed", [("[T]) Put(", "[T]) Push(")]),
        (core, "renamed function", [(head, head.replace("Make", "New"))]),
    ]
    for path, label, swaps in changes:
        yield Change(path, tuple(swaps), label)
    cls = noun.title()
    renamed = (f"Restock{cls}", f"Fill{cls}")
    swap = (f"func Restock{cls}(", f"func Fill{cls}(")
    yield Change(f"service/{noun}.go", (swap,), "renamed function of a service", renamed)
    cost = (f"Cost{cls}(item {noun}.Item) float64", f"Cost{cls}(item *{noun}.Item) float64")
    yield Change(f"service/{noun}.go", (cost,), "parameter's type of a service")
