"""Drawn projects in Go: a package for each module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.dependents.drawn.model import Change, Form, Link, Module, Writer

_PLACES = ("p{}", "in/p{}", "internal/p{}")


class Go(Writer):
    """Packages; what they take of others they give away as values of their own."""

    forms = (
        Form("package", "space", hands_on=False),
        Form("renamed", "space", hands_on=False),
        Form("dot", "all", hands_on=False),
    )

    def path(self, module: Module) -> str:
        return f"{_PLACES[module.place].format(module.number)}/one.go"

    def space(self, form: Form, module: Module, source: Module) -> str:
        return f"p{source.number}" if form.name == "package" else f"s{source.number}"

    def around(self, modules: Sequence[Module]) -> Mapping[str, str]:
        return {"go.mod": "module example.org/m\n\ngo 1.22\n"}

    def function(self, name: str, change: Change | None) -> str:
        if change == "gone":
            return ""
        kind = "string" if change == "signature" else "int"
        body = "y := x; return y" if change == "body" else "return x"
        note = "// A note.\n" if change == "note" else ""
        return f"{note}func {name}(x {kind}) {kind} {{ {body} }}"

    def write(self, module: Module, modules: Sequence[Module], function: Mapping[str, str]) -> str:
        lines = [f"package p{module.number}"]
        if module.links:
            imported = [self._import(link, modules[link.source]) for link in module.links]
            lines += ["import (", "\t// a note )", *imported, ")"]
        if module.number == 0:
            lines += function.values()
        else:
            lines.append(f"func G{module.number}(x int) int {{ return x }}")
        lines += ["func use() {", *(f"\t_ = {name}" for name, _ in module.mentioned), "}"]
        if module.value:
            lines.append(f"var V{module.number} = {module.value}")
        return "\n".join(lines) + "\n"

    def _import(self, link: Link, source: Module) -> str:
        place = f'"example.org/m/{_PLACES[source.place].format(source.number)}"'
        name = {"package": "", "renamed": link.space, "dot": "."}[link.form.name]
        return f"\t{name} {place}"
