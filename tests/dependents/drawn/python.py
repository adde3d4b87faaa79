"""Drawn projects in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.dependents.drawn.model import Change, Form, Link, Module, Writer, heads, here

_PLACES = ("m{}", "m{}", "pkg.m{}")


class Python(Writer):
    """Modules, packages, and modules of one package."""

    forms = (
        Form("plain", "names"),
        Form("renamed", "names", renames=True),
        Form("conditional", "names"),
        Form("typing", "names", hands_on=False),
        Form("inside", "names", inside=True, hands_on=False),
        Form("star", "all", hands_on=True),
        Form("module", "space"),
        Form("module renamed", "space"),
        Form("from its package", "space"),
    )
    lists_names = True

    def path(self, module: Module) -> str:
        name = _dotted(module).replace(".", "/")
        return f"{name}/__init__.py" if module.place == 1 else f"{name}.py"

    def space(self, form: Form, module: Module, source: Module) -> str:
        if form.name == "module":
            return _dotted(source)
        return super().space(form, module, source)

    def around(self, modules: Sequence[Module]) -> Mapping[str, str]:
        return {"pkg/__init__.py": ""}

    def function(self, name: str, change: Change | None) -> str:
        if change == "gone":
            return ""
        kind = "str" if change == "signature" else "int"
        body = "y = x\n    return y" if change == "body" else "return x"
        note = "# a note\n" if change == "note" else ""
        return f"{note}def {name}(x: {kind}) -> {kind}:\n    {body}\n"

    def write(self, module: Module, modules: Sequence[Module], function: Mapping[str, str]) -> str:
        lines: list[str] = []
        if module.number == 0:
            lines += function.values()
        for link in module.links:
            lines += self._imports(link, module, modules[link.source])
        if module.listed is not None:
            lines.append(f"__all__ = {list(module.listed)!r}")
        if module.number:
            lines += [f"def G{module.number}(x: int) -> int:", "    return x"]
        lines += [f"print({name})" for name, _ in module.mentioned]
        if module.value:
            lines.append(f"V{module.number} = {module.value}")
        return "\n".join(lines) + "\n"

    def _imports(self, link: Link, module: Module, source: Module) -> list[str]:
        target, form = _dotted(source), link.form.name
        folder, _, last = target.rpartition(".")
        is_mate = bool(folder) and module.place == source.place
        if form == "star":
            return [f"from {f'.{last}' if is_mate else target} import *"]
        if form == "module":
            return [f"import {target}"]
        if form == "module renamed":
            return [f"import {target} as {link.space}"]
        if form == "from its package":
            if not folder:
                return [f"import {target} as {link.space}"]
            return [f"from {'.' if is_mate else folder} import {last} as {link.space}"]
        if is_mate:
            target = f".{last}"
        names = [
            one if (other := here(one, link.form, module)) == one else f"{one} as {other}"
            for one in heads(link)
        ]
        listed = f"from {target} import {', '.join(names)}"
        if form == "conditional":
            return ["try:", f"    {listed}", "except ImportError:", "    pass"]
        if form == "typing":
            return ["from typing import TYPE_CHECKING", "if TYPE_CHECKING:", f"    {listed}"]
        if form == "inside":
            return [f"def inside{source.number}() -> None:", f"    {listed}"] + [
                f"    print({name})" for name in link.names
            ]
        spread = ",\n    ".join(names)
        return [f"from {target} import (  # a note )\n    {spread},\n)"]


def _dotted(module: Module) -> str:
    return _PLACES[module.place].format(module.number)
