"""Drawn projects in C: headers that include one another."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from tests.dependents.drawn.model import Change, Form, Link, Module, Writer

_PLACES = ("m{}.h", "include/m{}.h", "in/m{}.h")


class C(Writer):
    """Headers beside one another, below, and in a folder that a flag names."""

    forms = (
        Form("include", "all", hands_on=True),
        Form("conditional", "all", hands_on=True),
        Form("after a comment", "all", hands_on=True),
        Form("through a macro", "all", hands_on=True),
    )

    def path(self, module: Module) -> str:
        return _PLACES[module.place].format(module.number)

    def around(self, modules: Sequence[Module]) -> Mapping[str, str]:
        return {"compile_flags.txt": "-std=c11\n-Iinclude\n"}

    def function(self, name: str, change: Change | None) -> str:
        if change == "gone":
            return ""
        kind = "long" if change == "signature" else "int"
        note = "// a note\n" if change in ("note", "body") else ""
        return f"{note}{kind} {name}({kind} x);"

    def write(self, module: Module, modules: Sequence[Module], function: Mapping[str, str]) -> str:
        number = module.number
        lines = [f"#ifndef M{number}", f"#define M{number}"]
        for link in module.links:
            lines += self._include(link, module, modules[link.source])
        if number == 0:
            lines += function.values()
        else:
            lines.append(f"int G{number}(int x);")
        used = "".join(f" (void){name};" for name, _ in module.mentioned)
        lines.append(f"static inline void use{number}(void) {{{used} }}")
        if module.value:
            lines.append(f"#define V{number} {module.value}")
        return "\n".join([*lines, "#endif", ""])

    def _include(self, link: Link, module: Module, source: Module) -> list[str]:
        place = self.path(source)
        way = posixpath.relpath(place, posixpath.dirname(self.path(module)) or ".")
        included = f'"{way}"'
        if source.place == 1:
            included = f"<{posixpath.basename(place)}>"
        if link.form.name == "conditional":
            return ["#if defined(ONE) || !defined(TWO)", f"#include {included}", "#endif"]
        if link.form.name == "after a comment":
            return ['static const char *s = "/*"; // /*', f"# include {included} /* a note", " */"]
        if link.form.name == "through a macro":
            name = f"THE_{module.number}_{source.number}"
            return [f"#define {name} {included}", f"#include {name}"]
        return [f"#include {included}"]
