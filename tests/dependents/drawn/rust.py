"""Drawn projects in Rust: the modules of one crate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.dependents.drawn.model import Change, Form, Link, Module, Writer, heads, here

_PLACES = ("src/m{}.rs", "src/m{}/mod.rs", "src/inner/m{}.rs")


class Rust(Writer):
    """Modules at the top and in another one."""

    forms = (
        Form("use", "names"),
        Form("use renamed", "names", renames=True),
        Form("glob", "all"),
        Form("module", "space"),
        Form("path", "space", inside=True, hands_on=False),
        Form("in a function", "names", inside=True, hands_on=False),
    )
    gives_values = False

    def path(self, module: Module) -> str:
        return _PLACES[module.place].format(module.number)

    def around(self, modules: Sequence[Module]) -> Mapping[str, str]:
        package = '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n'
        inner = [one for one in modules if one.place == 2]
        tops = "".join(f"pub mod m{one.number};\n" for one in modules if one.place != 2)
        return {
            "Cargo.toml": package,
            "src/lib.rs": f"{tops}pub mod inner;\n",
            "src/inner/mod.rs": "".join(f"pub mod m{one.number};\n" for one in inner),
        }

    def function(self, name: str, change: Change | None) -> str:
        if change == "gone":
            return ""
        kind = "u64" if change == "signature" else "i32"
        body = "let y = x; y" if change == "body" else "x"
        note = "// a note\n" if change == "note" else ""
        return f"{note}pub fn {name}(x: {kind}) -> {kind} {{ {body} }}"

    def write(self, module: Module, modules: Sequence[Module], function: Mapping[str, str]) -> str:
        lines: list[str] = []
        if module.number == 0:
            lines += function.values()
        for link in module.links:
            lines += self._uses(link, module, modules[link.source])
        if module.number:
            lines.append(f"pub fn G{module.number}(x: i32) -> i32 {{ x }}")
        named = [name.replace(".", "::") for name, _ in module.mentioned]
        lines += ["fn mentioned() {", *(f"    let _ = {name};" for name in named), "}"]
        return "\n".join(lines) + "\n"

    def _uses(self, link: Link, module: Module, source: Module) -> list[str]:
        target = f"crate::{'inner::' if source.place == 2 else ''}m{source.number}"
        if source.place == module.place == 2 or (source.place < 2 and module.place < 2):
            target = f"super::m{source.number}"
        form, seen = link.form.name, "pub use" if link.hands_on else "use"
        if form == "glob":
            return [f"{seen} {target}::*;"]
        if form == "module":
            return [f"{seen} {target} as {link.space};"]
        names = [name.replace(".", "::") for name in link.names]
        if form == "path":
            used = [f"    let _ = {target}::{name};" for name in names]
            return [f"fn inside{source.number}() {{", *used, "}"]
        taken = [
            one if (other := here(one, link.form, module)) == one else f"{one} as {other}"
            for one in heads(link)
        ]
        listed = f"{target}::{{{', /* } */ '.join(taken)}}};"
        if form == "in a function":
            used = [f"    let _ = {name};" for name in names]
            return [f"fn inside{source.number}() {{", f"    use {listed}", *used, "}"]
        return [f"{seen} {listed}"]
