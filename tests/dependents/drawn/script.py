"""Drawn projects in TypeScript."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from tests.dependents.drawn.model import Change, Form, Link, Module, Writer, heads, here

_PLACES = ("m{}.ts", "lib/m{}.ts", "m{}/index.ts")


class TypeScript(Writer):
    """Modules beside one another, below, and as the index of a folder."""

    forms = (
        Form("import", "names"),
        Form("import renamed", "names", renames=True),
        Form("from", "names", mentions=False, hands_on=True),
        Form("from renamed", "names", renames=True, mentions=False, hands_on=True),
        Form("all from", "all", mentions=False, hands_on=True),
        Form("space", "space"),
        Form("space from", "space", mentions=False, hands_on=True),
        Form("require", "space"),
        Form("awaited", "space", inside=True, hands_on=False),
        Form("then", "space", inside=True, hands_on=False),
        Form("type", "space", inside=True, hands_on=False),
    )

    def path(self, module: Module) -> str:
        return _PLACES[module.place].format(module.number)

    def around(self, modules: Sequence[Module]) -> Mapping[str, str]:
        options = '"module": "preserve", "strict": true, "noEmit": true'
        return {"tsconfig.json": f'{{"compilerOptions": {{{options}}}, "include": ["**/*"]}}\n'}

    def function(self, name: str, change: Change | None) -> str:
        if change == "gone":
            return ""
        kind = "string" if change == "signature" else "number"
        body = "const y = x; return y;" if change == "body" else "return x;"
        note = "// a note\n" if change == "note" else ""
        return f"{note}export function {name}(x: {kind}): {kind} {{ {body} }}"

    def write(self, module: Module, modules: Sequence[Module], function: Mapping[str, str]) -> str:
        lines = ["export {};"]
        if module.number == 0:
            lines += function.values()
        for link in module.links:
            lines += self._imports(link, module, modules[link.source])
        number = module.number
        if number:
            lines.append(f"export function G{number}(x: number): number {{ return x; }}")
        lines += [f"console.log({name});" for name, _ in module.mentioned]
        if module.value:
            lines.append(f"export const V{number} = {module.value};")
        return "\n".join(lines) + "\n"

    def _imports(self, link: Link, module: Module, source: Module) -> list[str]:
        target, form = self._target(module, source), link.form.name
        out = link.space if link.hands_on else ""
        if form == "all from":
            return [f'export * from "{target}";']
        if form == "space from":
            return [f'export * as {link.space} from "{target}";']
        if link.form.kind == "space" and not link.form.inside:
            taken = (
                f'import {link.space} = require("{target}");'
                if form == "require"
                else f'import * as {link.space} from "{target}";'
            )
            return [taken, f"export {{ {out} }};"] if out else [taken]
        if link.form.inside:
            return _inside(form, target, link)
        names = [
            one if (other := here(one, link.form, module)) == one else f"{one} as {other}"
            for one in heads(link)
        ]
        listed = ", // a note }\n    ".join(names)
        if form.startswith("from"):
            return [f'export {{\n    {listed}\n}} from "{target}";']
        taken = f'import {{\n    {listed}\n}} from "{target}";'
        given = ", ".join(here(one, link.form, module) for one in heads(link))
        return [taken, f"export {{ {given} }};"] if link.hands_on else [taken]

    def _target(self, module: Module, source: Module) -> str:
        folder = posixpath.dirname(self.path(module)) or "."
        way = posixpath.relpath(self.path(source).removesuffix(".ts"), folder)
        way = way.removesuffix("/index") if source.number % 2 else way
        return way if way.startswith(".") else f"./{way}"


def _inside(form: str, target: str, link: Link) -> list[str]:
    number = link.source
    if form == "awaited":
        used = " ".join(f"console.log(m.{name});" for name in link.names)
        taken = f'const m = await import("{target}");'
        return [f"export async function inside{number}() {{ {taken} {used} }}"]
    if form == "then":
        used = " ".join(f"console.log(m.{name});" for name in link.names)
        return [f'import("{target}").then((m) => {{ {used} }});']
    used = "; ".join(f'a{n}: typeof import("{target}").{name}' for n, name in enumerate(link.names))
    return [f"export interface Inside{number} {{ {used} }}"]
