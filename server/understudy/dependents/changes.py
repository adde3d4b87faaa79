"""What of a file others can see differs between two of its texts, by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from understudy.syntax.model import ALL, Declaration, FileDeclarations, FileImports
from understudy.values.frozen import frozen


@frozen(slots=True)
class FileReading:
    """All that readers say of one text."""

    imports: FileImports
    declarations: FileDeclarations


@frozen(slots=True)
class OutsideChange:
    """What of a file's outside differs.

    `names` are (owner, name) of declarations and of what it hands on; `locals_` are names that its
    own code takes from elsewhere now. `come` are those of the declarations that are there on one
    side only, `given` the names that others find in the file on one side only.
    With `moved` the file comes or goes: whatever is bound of it is something else then. With `code`
    those who compile it as their own find other code, with `lines` the same on other lines.
    """

    names: frozenset[tuple[str, str]] = frozenset()
    locals_: frozenset[str] = frozenset()
    come: frozenset[tuple[str, str]] = frozenset()
    given: frozenset[str] = frozenset()
    moved: bool = False
    code: bool = False
    lines: bool = False

    @property
    def is_inside(self) -> bool:
        """Whether no other file can see any of it."""
        return self.is_layout and not self.lines

    @property
    def is_layout(self) -> bool:
        """Whether others can see no more of it than the lines that code stands on."""
        return not (self.names or self.locals_ or self.moved or self.code)


NOTHING_DECLARED = FileReading(FileImports(), FileDeclarations((), "", is_sound=True))
"""What a file that is not there says."""


def change_between(before: FileReading | None, after: FileReading | None) -> OutsideChange | None:
    """What differs; None for no file on that side. No answer where any name may have changed."""
    moved = before is None or after is None
    former, latter = before or NOTHING_DECLARED, after or NOTHING_DECLARED
    if not (former.declarations.is_sound and latter.declarations.is_sound):
        return None
    if not moved and former.declarations.frame != latter.declarations.frame:
        return None
    if (former.imports.scope, former.imports.condition) != (
        latter.imports.scope,
        latter.imports.condition,
    ) and not moved:
        return None
    bound = _bound(former.imports) ^ _bound(latter.imports)
    if any(name == ALL for _, _, name, _, _ in bound):
        return None  # what a wildcard passes on is written elsewhere
    locals_ = {local for *_, local, _ in bound} - {"", ALL}
    exported = {exported for *_, exported in bound} - {""}
    olds, news = _outsides(former.declarations), _outsides(latter.declarations)
    differing = {key for key in olds.keys() | news.keys() if olds.get(key) != news.get(key)}
    names = frozenset({*differing, *(("", name) for name in exported)})
    if not (moved or exported) and _is_private((former, latter), differing):
        names = frozenset[tuple[str, str]]()
    come = frozenset(olds.keys() ^ news.keys())
    return OutsideChange(
        names,
        frozenset(locals_),
        come,
        _given(former) ^ _given(latter),
        moved,
        code=former.declarations.code != latter.declarations.code,
        lines=former.declarations.lines != latter.declarations.lines,
    )


def _is_private(sides: Sequence[FileReading], differing: Collection[tuple[str, str]]) -> bool:
    """Whether these names, and whatever of the file shows one of them, stay in their file."""
    if any(side.imports.scope for side in sides) or any(owner for owner, _ in differing):
        return False
    declared = [one for side in sides for one in side.declarations.declarations]
    handed_on = {
        binding.local
        for side in sides
        for taken in side.imports.imports
        for binding in taken.bindings
        if binding.exported
    }
    names, edge = set[str](), {name for _, name in differing}
    while edge:
        names |= edge
        showing = [one for one in declared if one.name in edge or _shows(one, edge)]
        if any(one.owner or one.exported for one in showing):
            return False
        edge = {one.name for one in showing} - names
    return names.isdisjoint(handed_on)


def _shows(one: Declaration, names: Collection[str]) -> bool:
    return ALL in one.shown.names or not one.shown.names.isdisjoint(names)


def _given(reading: FileReading) -> frozenset[str]:
    """The names by which others find something in it."""
    declared = {name for one in reading.declarations.declarations for name in one.exported}
    bound = {binding.exported for one in reading.imports.imports for binding in one.bindings}
    return frozenset(declared | bound)


def _bound(imports: FileImports) -> set[tuple[str, str, str, str, str]]:
    return {
        (one.kind, one.target, binding.name, binding.local, binding.exported)
        for one in imports.imports
        for binding in one.bindings
    }


def _outsides(reading: FileDeclarations) -> dict[tuple[str, str], list[tuple[str, object]]]:
    """Each name's declarations in their order: of several, the last or the first holds."""
    found: defaultdict[tuple[str, str], list[tuple[str, object]]] = defaultdict(list)
    for one in reading.declarations:
        found[one.owner, one.name].append((one.outside, one.exported))
    return found
