"""What can happen to the files of the Python sample project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_HELPER = '''\
"""A helper that was not there before."""


def shorten(text: str) -> str:
    return text[:9]
'''
_WRONG = '''\
"""A new module that uses an old one wrongly."""

from shop.core import {cls}, make_{noun}

FIRST: {cls} = make_{noun}("first", "one")
'''


def scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that this project can have."""
    cores = re.compile(r"shop/core/(\w+)\.py$")
    nouns = [match[1] for path in sorted(project.files) if (match := cores.match(path))]
    nouns.remove("__init__")
    found: list[Scenario] = [*_of_project(nouns)]
    for noun, other in zip(nouns, [*nouns[1:], nouns[0]], strict=True):
        found += _of_noun(noun, other)
    return found


def _of_noun(noun: str, other: str) -> Iterator[Scenario]:
    core, service = f"shop/core/{noun}.py", f"shop/services/{noun}_service.py"
    stem = f"shop/core/{noun}"

    def replaced_by_other(tree: TreeDraft) -> None:
        tree.delete(core)
        tree.rename(f"shop/core/{other}.py", core)

    def used_helper(tree: TreeDraft) -> None:
        tree.write("shop/text_tools.py", _HELPER)
        line = "\nfrom shop.text_tools import shorten\n"
        tree.change(service, lambda draft: draft.insert(1, line))

    def used_outside(tree: TreeDraft) -> None:
        tree.write("text_tools.py", _HELPER)
        tree.change(service, lambda draft: draft.insert(1, "\nfrom text_tools import shorten\n"))

    stub = f"def make_{noun}(name: str, count: str) -> int: ...\n"
    wrong = _WRONG.format(noun=noun, cls=noun.title())
    yield "deleted", core, lambda tree: tree.delete(core)
    yield "deleted", service, lambda tree: tree.delete(service)
    yield "deleted", f"{noun} report", lambda tree: tree.delete(f"shop/reports/{noun}_report.py")
    yield "deleted", f"{core}, {other} in its place", replaced_by_other
    yield "created", f"{stem}.pyi hides the module", lambda tree: tree.write(f"{stem}.pyi", stub)
    yield (
        "created",
        f"{stem}/__init__.py hides the module",
        lambda tree: tree.write(f"{stem}/__init__.py", _HELPER),
    )
    yield "created", f"wrong use of {noun}", lambda tree: tree.write("shop/core/extra.py", wrong)
    yield "created", f"helper for {service}", used_helper
    yield "created", f"top-level helper for {service}", used_outside
    yield from _renames(noun, other)


def _renames(noun: str, other: str) -> Iterator[Scenario]:
    core, stem = f"shop/core/{noun}.py", f"shop/core/{noun}"

    def into_package(tree: TreeDraft) -> None:
        text = tree.text(core)
        tree.delete(core)
        tree.write(f"{stem}/__init__.py", text)

    def swapped(tree: TreeDraft) -> None:
        tree.rename(core, f"{stem}_aside.py")
        tree.rename(f"shop/core/{other}.py", core)
        tree.rename(f"{stem}_aside.py", f"shop/core/{other}.py")

    def shimmed(tree: TreeDraft) -> None:
        tree.rename(core, f"{stem}_impl.py")
        names = f"{noun.upper()}_CODES, {noun.upper()}_LIMIT, {noun.title()}, find_{noun}"
        text = f"from .{noun}_impl import {names}, make_{noun}, total_{noun}  # noqa: F401\n"
        tree.write(core, text)

    def renamed(n_kept: int | None) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename(core, f"{stem}_stock.py")
            _follow(tree, noun, f"{noun}_stock", n_kept)

        return change

    yield "renamed", f"{core}, importers forgotten", renamed(0)
    yield "renamed", f"{core}, importers fixed", renamed(None)
    yield "renamed", f"{core}, one importer fixed", renamed(1)
    yield "renamed", f"{core}, a shim in its place", shimmed
    yield "moved", f"{core} becomes a package", into_package
    yield "moved", f"{core} and {other} swap names", swapped


_CONFIGURED = (
    (
        "stricter",
        "strict",
        '["F", "D1", "ANN"]',
        'unresolved-reference = "ignore"',
        "disallow_untyped_defs = true",
    ),
    (
        "milder",
        "off",
        '["E"]',
        'invalid-assignment = "ignore"',
        'disable_error_code = ["assignment"]',
    ),
    ("other", "basic", '["I", "E501"]', 'unresolved-reference = "warn"', "strict_optional = false"),
)
"""A name; what basedpyright, ruff, ty and mypy are told."""


def _of_project(nouns: list[str]) -> Iterator[Scenario]:
    def folder_renamed(name: str, to: str, *, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename_folder(f"shop/{name}", f"shop/{to}")
            if fixed:
                tree.substitute(rf"(\bshop\.|\.\.){name}\b", rf"\g<1>{to}")

        return change

    def pending(tree: TreeDraft) -> None:
        tree.write(
            "shop/use_pending.py", "from shop.pending import amount\n\nTOTAL: str = amount\n"
        )
        tree.write("shop/pending.py", "amount: int = 3\n")

    tariff = "shop/tariff"
    yield "deleted", "the stub", lambda tree: tree.delete(f"{tariff}.pyi")
    yield "deleted", "the module under its stub", lambda tree: tree.delete(f"{tariff}.py")
    yield "deleted", "an __init__", lambda tree: tree.delete("shop/core/__init__.py")
    yield "deleted", "the flawed module", lambda tree: tree.delete("shop/legacy.py")
    yield "created", "two modules that need each other", pending
    yield (
        "created",
        "a module named as one of the standard library",
        lambda tree: tree.write("dataclasses.py", _HELPER),
    )
    yield (
        "created",
        "a module beside its importer named as a package",
        lambda tree: tree.write("shop.py", _HELPER),
    )
    yield "renamed", "the stub", lambda tree: tree.rename(f"{tariff}.pyi", f"{tariff}_old.pyi")
    yield "moved", "services, forgotten", folder_renamed("services", "actions", fixed=False)
    yield "moved", "services, fixed", folder_renamed("services", "actions", fixed=True)
    yield "moved", "reports, forgotten", folder_renamed("reports", "printed", fixed=False)
    for label, mode, rules, more, mypy in _CONFIGURED:
        tables = f"\n[tool.ty.rules]\n{more}\n\n[tool.mypy]\n{mypy}\n"
        yield "configured", label, _configured(mode, rules, tables)
        yield (
            "configured",
            f"{label}, and a module deleted",
            _configured(mode, rules, tables, f"shop/core/{nouns[0]}.py"),
        )


def _configured(
    mode: str, rules: str, tables: str, gone: str | None = None
) -> Callable[[TreeDraft], None]:
    """An edit of the one configuration file that means something to every checker."""

    def change(tree: TreeDraft) -> None:
        text = tree.text("pyproject.toml") + tables
        text = re.sub(r'typeCheckingMode = "\w+"', f'typeCheckingMode = "{mode}"', text)
        tree.write("pyproject.toml", re.sub("select = .*", f"select = {rules}", text))
        if gone is not None:
            tree.delete(gone)

    return change


def _follow(tree: TreeDraft, noun: str, to: str, n_kept: int | None) -> None:
    """Let importers follow a renamed module of `shop.core`; all of them, or the first few."""
    patterns = (
        (rf"\bcore\.{noun}\b", f"core.{to}"),
        (rf"\bcore import {noun} as", f"core import {to} as"),
        (rf"from \.{noun} import", f"from .{to} import"),
    )
    users = [f"shop/services/{noun}_service.py", "shop/core/__init__.py", "shop/legacy.py"]
    for path in users if n_kept is None else users[:n_kept]:
        for pattern, new in patterns:
            tree.substitute(pattern, new, {path})
