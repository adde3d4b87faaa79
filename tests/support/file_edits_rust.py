"""What can happen to the files of the Rust sample project."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_USE = "use crate::missing;\n\npub fn extra() -> u32 {\n    1\n}\n"


def scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that this project can have."""
    found: list[Scenario] = [*_of_project()]
    for path in project.sources:
        if "/src/" in path:
            found += _of_module(path)
        else:
            found += _of_test(path)
    return found


def _of_module(path: str) -> Iterator[Scenario]:
    stem = path.removesuffix(".rs")
    folder, _, name = stem.rpartition("/")
    head = f"{folder}/lib.rs"

    def renamed(*, fixed: bool) -> Callable[[TreeDraft], None]:
        def change(tree: TreeDraft) -> None:
            tree.rename(path, f"{stem}_now.rs")
            if fixed:
                tree.change(head, lambda draft: draft.rename(name, f"{name}_now"))

        return change

    def forgotten(tree: TreeDraft) -> None:
        tree.change(head, lambda draft: draft.swap(f"pub mod {name};\n", ""))

    def added(tree: TreeDraft) -> None:
        tree.write(f"{folder}/extra.rs", _USE)
        tree.change(head, lambda draft: draft.insert(0, "pub mod extra;\n"))

    yield "deleted", path, lambda tree: tree.delete(path)
    yield "deleted", f"{path} from the crate", forgotten
    yield "renamed", f"{path}, the crate forgotten", renamed(fixed=False)
    yield "renamed", f"{path}, the crate fixed", renamed(fixed=True)
    yield "moved", f"{path} to a folder", lambda tree: tree.rename(path, f"{stem}/mod.rs")
    yield "created", f"{stem}/mod.rs beside it", lambda tree: tree.write(f"{stem}/mod.rs", "")
    yield "created", f"{folder}/extra.rs", added


def _of_test(path: str) -> Iterator[Scenario]:
    wrong = "#[test]\nfn fails() {\n    let _: u8 = missing();\n}\n"
    yield "deleted", path, lambda tree: tree.delete(path)
    yield "renamed", path, lambda tree: tree.rename(path, path.replace("_test", "_checks"))
    yield "created", "another test", lambda tree: tree.write("stock/tests/extra.rs", wrong)


def _of_project() -> Iterator[Scenario]:
    def swapped(path: str, old: str, new: str) -> Callable[[TreeDraft], None]:
        return lambda tree: tree.change(path, lambda draft: draft.swap(old, new))

    edition = ('edition = "2021"', 'edition = "2018"')
    yield "configured", "an older edition", swapped("shop/Cargo.toml", *edition)
    yield "configured", "a member less", swapped("Cargo.toml", '"shop", "stock"', '"stock"')
    yield "moved", "the crate stock, forgotten", lambda tree: tree.rename_folder("stock", "store")
