"""What can happen to the files of the C++ sample project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_HELPER = "#pragma once\n\nnamespace shop {\ninline int twice(int n) { return 2 * n; }\n}\n"
_PART = "#define PART_LIMIT missing_limit\nint part_size() { return PART_LIMIT; }\n"


def scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that this project can have."""
    cores = re.compile(r"src/(\w+)_report\.cpp$")
    nouns = [match[1] for path in sorted(project.files) if (match := cores.match(path))]
    found: list[Scenario] = [*_of_project(), *_of_configuration()]
    for noun, other in zip(nouns, [*nouns[1:], nouns[0]], strict=True):
        found += _of_noun(noun, other)
    return found


def _of_noun(noun: str, other: str) -> Iterator[Scenario]:
    core, source = f"include/shop/{noun}.hpp", f"src/{noun}.cpp"

    def helper(tree: TreeDraft) -> None:
        tree.write("include/shop/twice.hpp", _HELPER)
        line = '#include "shop/twice.hpp"\nint four() { return shop::twice("two"); }\n'
        tree.change(source, lambda draft: draft.insert(0, line))

    def part(tree: TreeDraft) -> None:
        tree.write("src/part.inc", _PART)
        tree.change(source, lambda draft: draft.insert(0, '#include "part.inc"\n'))

    def odd(tree: TreeDraft) -> None:
        tree.write("src/part.x", _PART)
        tree.change(source, lambda draft: draft.insert(0, '#include "part.x"\n'))

    def swapped(tree: TreeDraft) -> None:
        tree.rename(core, "include/shop/aside.hpp")
        tree.rename(f"include/shop/{other}.hpp", core)
        tree.rename("include/shop/aside.hpp", f"include/shop/{other}.hpp")

    def renamed(*, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename(core, f"include/shop/{noun}_stock.hpp")
            if fixed:
                tree.substitute(rf"(include [\"<].*\b){noun}\.hpp", rf"\1{noun}_stock.hpp")

        return change

    def replaced(tree: TreeDraft) -> None:
        tree.delete(core)
        tree.rename(f"include/shop/{other}.hpp", core)

    yield "deleted", core, lambda tree: tree.delete(core)
    yield "deleted", source, lambda tree: tree.delete(source)
    yield "deleted", f"{core}, {other} in its place", replaced
    yield "created", f"helper for {source}", helper
    yield "created", f"a part that {source} includes", part
    yield "created", f"a part of an odd name for {source}", odd
    yield (
        "created",
        f"src/shop/{noun}.hpp, which hides the header",
        lambda tree: tree.write(f"src/shop/{noun}.hpp", "#error hidden\n"),
    )
    yield (
        "created",
        f"src/{noun}_report.hpp, wrong",
        lambda tree: tree.write(f"src/{noun}_report.hpp", "#pragma once\nint f(Missing m);\n"),
    )
    yield "renamed", f"{core}, includers forgotten", renamed(fixed=False)
    yield "renamed", f"{core}, includers fixed", renamed(fixed=True)
    yield "renamed", f"{source} to .cc", lambda tree: tree.rename(source, f"src/{noun}.cc")
    yield "renamed", f"{source} to .c", lambda tree: tree.rename(source, f"src/{noun}.c")
    yield "moved", f"{core} and {other} swap names", swapped


def _of_project() -> Iterator[Scenario]:
    def folder_renamed(*, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename_folder("include/shop", "include/store")
            if fixed:
                tree.substitute(r"(include [\"<].*\b)shop/", r"\1store/")

        return change

    yield "deleted", "the umbrella", lambda tree: tree.delete("include/shop/all.hpp")
    yield "deleted", "the flawed source", lambda tree: tree.delete("src/legacy.cpp")
    yield "moved", "headers, forgotten", folder_renamed(fixed=False)
    yield "moved", "headers, fixed", folder_renamed(fixed=True)


def _of_configuration() -> Iterator[Scenario]:
    flags = "compile_flags.txt"

    def flagged(text: str) -> Callable[[TreeDraft], None]:
        return lambda tree: tree.write(flags, text)

    yield "configured", "no warnings", flagged("-std=c++17\n-Iinclude\n")
    yield "configured", "an older standard", flagged("-std=c++11\n-Wall\n-Iinclude\n")
    yield "configured", "no include folder", flagged("-std=c++17\n-Wall\n")
    yield (
        "configured",
        "warnings are errors, and more of them",
        flagged("-std=c++17\n-Wall\n-Wextra\n-Werror\n-Iinclude\n"),
    )
    yield (
        "configured",
        "clangd's own: a warning suppressed",
        lambda tree: tree.write(".clangd", "Diagnostics:\n  Suppress: [no_member]\n"),
    )
    yield "deleted", "the flags", lambda tree: tree.delete(flags)
