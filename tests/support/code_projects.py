"""Small projects for questions about code: uses in files that nobody has opened, and traps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PYTHON: Mapping[str, str] = {
    "shop/core.py": (
        '"""Stock."""\n\n\n'
        "class Item:\n"
        "    def __init__(self, name: str) -> None:\n"
        "        self.name = name\n\n"
        "    def label(self) -> str:\n"
        "        return self.name\n\n\n"
        "class Crate(Item):\n"
        "    def label(self) -> str:\n"
        '        return "crate " + self.name\n\n\n'
        "def make(name: str) -> Item:\n"
        "    return Item(name)\n"
    ),
    "shop/app.py": (
        "from shop.core import make\n\n\n"
        "def report() -> str:\n"
        '    item = make("x")\n'
        "    return item.label()\n"
    ),
    "shop/other.py": (
        "import shop.core as c\n\n\n"
        "def go() -> list[str]:\n"
        '    return [c.make(n).label() for n in "ab"]\n'
    ),
    "shop/talk.py": "from shop.core import Item\n\n# who wants a label asks make\nKIND = Item\n",
    "shop/alien.py": "def label() -> None:\n    pass\n",
}

TYPESCRIPT: Mapping[str, str] = {
    "core.ts": (
        "export interface Shape { area(): number }\n"
        "export class Item implements Shape {\n"
        "  constructor(readonly name: string) {}\n"
        "  area(): number { return 1 }\n"
        "  label(): string { return this.name }\n"
        "}\n"
        "export function make(name: string): Item { return new Item(name) }\n"
    ),
    "app.ts": (
        "import { make as build } from './core'\n"
        "export function report(): string {\n"
        "  const item = build('\N{GRINNING FACE}'); item.area()\n"
        "  return item.label()\n"
        "}\n"
    ),
    "other.ts": (
        "import * as c from './core'\nexport const all = ['a'].map((n) => c.make(n).label())\n"
    ),
}
"""No configuration says which files belong together."""

GO: Mapping[str, str] = {
    "go.mod": "module example.com/shop\n\ngo 1.21\n",
    "lib/core.go": (
        "package lib\n\n"
        "type Shape interface{ Area() int }\n\n"
        "type Item struct{ Name string }\n\n"
        "func (i Item) Area() int { return 1 }\n\n"
        "func (i Item) Label() string { return i.Name }\n\n"
        "func Make(name string) Item { return Item{name} }\n"
    ),
    "main.go": (
        'package main\n\nimport "example.com/shop/lib"\n\n'
        'func main() {\n\titem := lib.Make("x")\n\tprintln(item.Label())\n}\n'
    ),
}

CPP: Mapping[str, str] = {
    "compile_flags.txt": "-std=c++17\n",
    "core.h": (
        "#pragma once\n"
        "struct Shape {\n  virtual int area() const { return 0; }\n  virtual ~Shape() {}\n};\n"
        "struct Item : Shape {\n"
        "  const char *name;\n  int area() const override;\n  const char *label() const;\n};\n"
        "Item make(const char *name);\n"
    ),
    "core.cpp": (
        '#include "core.h"\n'
        "int Item::area() const { return 1; }\n"
        "const char *Item::label() const { return name; }\n"
        "Item make(const char *name) {\n  Item i;\n  i.name = name;\n  return i;\n}\n"
    ),
    "app.cpp": (
        '#include "core.h"\nint report() {\n  Item item = make("x");\n'
        "  return item.label()[0];\n}\n"
    ),
    "other.cpp": '#include "core.h"\nint go() { return make("y").label()[0]; }\n',
}


def written(files: Mapping[str, str], folder: Path) -> Path:
    """The folder with the project in it."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder
