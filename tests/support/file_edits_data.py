"""What can happen to the files of the sample projects without modules: JSON documents, scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_SCHEMA = "schemas/item.schema.json"
_STRICT_NAME = '{"type": "string", "minLength": 5}\n'


def json_scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that the project of JSON documents can have."""
    return [*_of_schema(project), *_of_documents(project)]


def shell_scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that the project of scripts can have."""
    return [*_of_scripts(project)]


def javascript_scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that the project of JavaScript modules can have."""
    return [*_of_modules(project)]


def _of_modules(project: Project) -> Iterator[Scenario]:
    config = "eslint.config.js"
    for path in project.sources:
        far = path.replace("src/", "src/old/")
        wrong = project.files[path] + "\nneverDeclared();\n"
        yield "deleted", path, lambda tree, path=path: tree.delete(path)
        yield "moved", f"{path} further down", lambda tree, p=path, to=far: tree.rename(p, to)
        yield "created", far, lambda tree, to=far, text=wrong: tree.write(to, text)
        module = path.replace(".js", ".mjs")
        yield "renamed", f"{path} to .mjs", lambda tree, p=path, to=module: tree.rename(p, to)

    def swapped(old: str, new: str) -> Callable[[TreeDraft], None]:
        return lambda tree: tree.change(config, lambda draft: draft.swap(old, new))

    yield "configured", "a rule is off", swapped('"no-undef": "error"', '"no-undef": "off"')
    yield "configured", "a warning is an error", swapped('eqeqeq: "warn"', 'eqeqeq: "error"')
    yield "configured", "another rule", swapped("rules: {", 'rules: {\n      "no-var": "error",')
    yield "configured", "a file is ignored", swapped("ignores: []", 'ignores: ["src/legacy.js"]')


def _of_schema(project: Project) -> Iterator[Scenario]:
    def renamed(n_fixed: int | None) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename(_SCHEMA, "schemas/stock.schema.json")
            followers = set(project.sources[:n_fixed])
            tree.substitute(r"item\.schema\.json", "stock.schema.json", followers)

        return change

    def split(tree: TreeDraft) -> None:
        tree.write("schemas/name.schema.json", _STRICT_NAME)
        old = '"name": {\n      "type": "string",\n      "minLength": 2\n    }'
        tree.change(
            _SCHEMA, lambda draft: draft.swap(old, '"name": {\n      "$ref": "name.schema.json"\n}')
        )

    def replaced(tree: TreeDraft) -> None:
        tree.delete(_SCHEMA)
        tree.write(_SCHEMA, '{"type": "object", "required": ["owner"]}\n')

    def moved(tree: TreeDraft) -> None:
        tree.rename_folder("schemas", "types")

    def moved_and_fixed(tree: TreeDraft) -> None:
        tree.rename_folder("schemas", "types")
        tree.substitute(r"\.\./schemas/", "../types/")

    yield "deleted", "the schema", lambda tree: tree.delete(_SCHEMA)
    yield "deleted", "the schema, another in its place", replaced
    yield "renamed", "the schema, documents forgotten", renamed(0)
    yield "renamed", "the schema, documents fixed", renamed(None)
    yield "renamed", "the schema, half of the documents fixed", renamed(5)
    yield "created", "a schema that the schema refers to", split
    yield "moved", "the schemas, forgotten", moved
    yield "moved", "the schemas, fixed", moved_and_fixed


def _of_documents(project: Project) -> Iterator[Scenario]:
    for path in project.sources:
        far = path.replace("data/", "data/old/")
        wrong = project.files[path].replace('"count": ', '"amount": ')
        yield "deleted", path, lambda tree, path=path: tree.delete(path)
        yield "moved", f"{path} further down", lambda tree, p=path, to=far: tree.rename(p, to)
        yield "created", far, lambda tree, to=far, text=wrong: tree.write(to, text)
    yield (
        "renamed",
        "the flawed document",
        lambda tree: tree.rename("data/legacy.json", "data/ancient.json"),
    )
    yield "deleted", "the flawed document", lambda tree: tree.delete("data/legacy.json")


def _of_scripts(project: Project) -> Iterator[Scenario]:
    for path in project.sources:
        to = path.replace("bin/", "scripts/")
        wrong = project.files[path] + '\necho "$never_set_at_all"\n'
        yield "deleted", path, lambda tree, path=path: tree.delete(path)
        yield "renamed", path, lambda tree, path=path, to=to: tree.rename(path, to)
        yield "created", to, lambda tree, to=to, text=wrong: tree.write(to, text)
    yield "moved", "all", lambda tree: tree.rename_folder("bin", "scripts")
    yield (
        "configured",
        "a rule is disabled",
        lambda tree: tree.write(".shellcheckrc", "disable=SC2154,SC2034\n"),
    )
