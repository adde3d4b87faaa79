"""What can happen to the files of the sample projects of style sheets and of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

_OTHER_SUFFIX = {".css": ".scss", ".scss": ".css", ".less": ".css", ".html": ".htm"}
_WRONG = {
    "css": "\n.never { colour: red; }\n",
    "html": "\n<script>\n  const never = ;\n</script>\n",
}


def scenarios(project: Project) -> list[Scenario]:
    """Every edit of files that such a project can have."""
    return [*_of_sources(project), *_of_folders(project)]


def _of_sources(project: Project) -> Iterator[Scenario]:
    for path, other in zip(
        project.sources, [*project.sources[1:], project.sources[0]], strict=True
    ):
        far = path.replace("/", "/old/", 1)
        wrong = project.files[path] + _WRONG[project.language]
        stem, dot, suffix = path.rpartition(".")
        again = stem + _OTHER_SUFFIX[dot + suffix]
        yield "deleted", path, lambda tree, path=path: tree.delete(path)
        yield "moved", f"{path} further down", lambda tree, p=path, to=far: tree.rename(p, to)
        yield "moved", f"{path} and {other} swap names", _swapped(path, other)
        yield "renamed", f"{path} to {again}", lambda tree, p=path, to=again: tree.rename(p, to)
        yield "created", far, lambda tree, to=far, text=wrong: tree.write(to, text)
        yield (
            "created",
            f"{again} beside it",
            lambda tree, to=again, text=project.files[path]: tree.write(to, text),
        )
        yield "deleted", f"{path}, another in its place", _replaced(path, wrong)


def _of_folders(project: Project) -> Iterator[Scenario]:
    folder = project.sources[0].partition("/")[0]
    yield "moved", "all", lambda tree: tree.rename_folder(folder, "site")


def _swapped(path: str, other: str) -> Callable[[TreeDraft], None]:
    def change(tree: TreeDraft) -> None:
        aside = f"aside.{path.rpartition('.')[2]}"
        tree.rename(path, aside)
        tree.rename(other, path)
        tree.rename(aside, other)

    return change


def _replaced(path: str, text: str) -> Callable[[TreeDraft], None]:
    def change(tree: TreeDraft) -> None:
        tree.delete(path)
        tree.write(path, text)

    return change
