"""What readers say of a text: its imports with the names they bind, and its declarations."""

from __future__ import annotations

from typing import Final, NamedTuple

from understudy.values.frozen import frozen

ALL: Final = "*"
"""In a binding: every name that the target has, under its own name."""

WHOLE: Final = "."
"""In a binding: the target itself, as a namespace or for its effects."""

LOADED: Final = "()"
"""In a binding: the target itself, as what a call gives. Who knows that it is this module infers no
result of a function, and who infers results knows no more than that it is some module."""


class Binding(NamedTuple):
    """One name that an import takes.

    `name` is the target's own name for it (`default` for an export that has none), ALL, WHOLE or
    LOADED.
    `local` is how the importer's code mentions it: a name, ALL, or "" if it cannot. `exported` is
    the name by which others find it in the importer: a name, ALL, or "" if they cannot.
    """

    name: str
    local: str = ""
    exported: str = ""


@frozen(slots=True)
class Import:
    """One place where a text names other files.

    `target` is as the language means it, quotes and escapes undone: `..pkg.mod`, `./x.js`,
    `net/http`, `stdio.h`. `kind` is the language's word for the way it is named, which its resolver
    knows: `import`, `require`, `include`, `embed`. A target that only a run of the program can
    tell is "" with the same kind.
    """

    target: str
    kind: str
    bindings: tuple[Binding, ...]


@frozen(slots=True)
class FileImports:
    """All that a text takes from other files.

    `scope` names what its declarations are seen in without any import, as far as the text tells:
    Go's package name, `global` for a script or an augmentation; "" for none. `condition` is what
    has to hold for the file to count at all (Go's build constraint), "" for always.
    """

    imports: tuple[Import, ...] = ()
    scope: str = ""
    condition: str = ""


NO_IMPORTS: Final = FileImports()


class Unsayable(Exception):
    """What a text imports would take too long to say."""


@frozen(slots=True)
class Mentions:
    """Names that a piece of text mentions: free ones, and those behind a dot or naming a member.

    Never one too few: a name in a string that may be code counts, and a keyword does no harm.
    `bare` are those of both, members with their dot, that somewhere neither stand in front of a dot
    nor are called (those that are called stand there with a bracket): of any other namespace the
    text takes only what it names. None where the language has no namespaces as values.
    """

    names: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    bare: frozenset[str] | None = None


class Signature(NamedTuple):
    """What of a declaration is written, where the rest is inferred: as `outside` and `shown`.

    `unknown_result` is the kind of a function that gives back what nobody knows then, "" where
    something may be known.
    """

    outside: str
    shown: Mentions
    unknown_result: str


@frozen(slots=True)
class Declaration:
    """A name that a text declares.

    `owner` is the dotted path of the types it is a member of, "" at the top. `exported` are the
    names by which other files find it at the top: usually its own, none where no file can, several
    where it is exported under others; WHOLE where it is all that the file gives (`export =`), so
    that whoever binds anything of the file takes it, and ALL where it may have any name. `outside`
    is a digest of all that others can see of it; what cannot be seen (a body behind a declared
    signature, a comment, layout) is not in it. `shown` is what the outside mentions, `inner` what
    the rest does. A member with `of_owner` changes the owner with it, as a field of an interface
    does: code that never names it can break. One with `listed_by_owner` does so as it comes or
    goes, as a method that a base asks for does. `signature` is all that others see of a function
    whose result is inferred from its body, if they are told by a checker that infers none;
    `unknown_result` is of those as such a checker sees them.
    """

    name: str
    owner: str
    exported: tuple[str, ...]
    outside: str
    shown: Mentions
    inner: Mentions
    of_owner: bool = False
    listed_by_owner: bool = False
    signature: Signature | None = None
    unknown_result: str = ""


@frozen(slots=True)
class FileDeclarations:
    """All that a text declares.

    `frame` is a digest of what everything in the file depends on: statements that run when it is
    loaded and can end it, pragmas, a package clause; where it differs, every name has changed.
    `is_sound` is False where errors of syntax may hide a declaration: then every name may have
    changed, too. `loose` is what statements outside all declarations mention, and `around` what
    those do of which others take names that nobody can tell: with one of it, every name may have
    changed. `code` is a digest of all code, where others compile it as their own, and `lines` one
    of the lines that it stands on.
    """

    declarations: tuple[Declaration, ...]
    frame: str
    is_sound: bool
    loose: Mentions = Mentions()
    code: str = ""
    lines: str = ""
    around: Mentions = Mentions()
