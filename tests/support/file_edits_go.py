"""What can happen to the files of the Go sample project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_HELPER = "package text\n\nfunc Twice(n int) int { return 2 * n }\n"
_USE = 'package service\n\nimport "example.org/shop/text"\n\nvar Four = text.Twice("two")\n'


def scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that this project can have."""
    services = re.compile(r"service/(\w+)\.go$")
    nouns = [match[1] for path in sorted(project.files) if (match := services.match(path))]
    found: list[Scenario] = [*_of_project(), *_of_configuration()]
    for noun, other in zip(nouns, [*nouns[1:], nouns[0]], strict=True):
        found += _of_noun(noun, other)
    return found


def _of_noun(noun: str, other: str) -> Iterator[Scenario]:
    core, service = f"stock/{noun}/{noun}.go", f"service/{noun}.go"
    again = "package service\n\nfunc Restock" + noun.title() + "() {}\n"

    def package_renamed(*, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename_folder(f"stock/{noun}", f"stock/{noun}s")
            if fixed:
                tree.substitute(rf"shop/stock/{noun}\"", f'shop/stock/{noun}s"')

        return change

    def helper(tree: TreeDraft) -> None:
        tree.write("text/text.go", _HELPER)
        tree.write("service/four.go", _USE)

    def swapped(tree: TreeDraft) -> None:
        tree.rename(service, "service/aside.go")
        tree.rename(f"service/{other}.go", service)
        tree.rename("service/aside.go", f"service/{other}.go")

    yield "deleted", core, lambda tree: tree.delete(core)
    yield "deleted", f"{noun} shelf", lambda tree: tree.delete(f"stock/{noun}/shelf.go")
    yield "deleted", service, lambda tree: tree.delete(service)
    yield "deleted", f"{noun} report", lambda tree: tree.delete(f"report/{noun}.go")
    yield "created", "a package, and a use of it", helper
    yield "created", f"{noun} declared again", lambda tree: tree.write("service/again.go", again)
    yield (
        "created",
        f"another package beside {core}",
        lambda tree: tree.write(f"stock/{noun}/stray.go", "package stray\n"),
    )
    yield "renamed", service, lambda tree: tree.rename(service, f"service/{noun}_now.go")
    yield (
        "renamed",
        f"{core} becomes a test",
        lambda tree: tree.rename(core, f"stock/{noun}/core_test.go"),
    )
    yield (
        "renamed",
        f"{core} is for another system",
        lambda tree: tree.rename(core, f"stock/{noun}/{noun}_windows.go"),
    )
    yield "moved", f"package {noun}, importers forgotten", package_renamed(fixed=False)
    yield "moved", f"package {noun}, importers fixed", package_renamed(fixed=True)
    yield "moved", f"{service} and {other} swap names", swapped


def _of_project() -> Iterator[Scenario]:
    def services_moved(tree: TreeDraft) -> None:
        tree.rename_folder("service", "action")

    yield "deleted", "the flawed file", lambda tree: tree.delete("legacy/legacy.go")
    yield "moved", "services, forgotten", services_moved


def _of_configuration() -> Iterator[Scenario]:
    def module(text: str) -> Callable[[TreeDraft], None]:
        return lambda tree: tree.write("go.mod", text)

    yield "configured", "an older language", module("module example.org/shop\n\ngo 1.16\n")
    yield "configured", "another module path", module("module example.org/store\n\ngo 1.21\n")
    yield (
        "configured",
        "a module of its own further down",
        lambda tree: tree.write("service/go.mod", "module example.org/other\n\ngo 1.21\n"),
    )
