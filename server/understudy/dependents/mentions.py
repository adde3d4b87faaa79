"""What of a file's declarations mentions names that somebody looks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from understudy.syntax.model import ALL, WHOLE, Declaration, FileDeclarations, Mentions
from understudy.values.frozen import frozen

_SELVES = frozenset(("__call__", "__get__", "__func__", "__wrapped__"))
"""Members by which a function is itself again."""

_LOADING = frozenset(("import_module", "__import__"))

_ON_THE_SPOT = frozenset(("require", "import"))


class DeclaredName(NamedTuple):
    """A declared name: `owner` is the dotted path of the types it is a member of, "" at the top.

    With `is_unknown` it is a function, and what a call of it gives is as it was.
    """

    path: str
    owner: str
    name: str
    is_unknown: bool = False


@frozen(slots=True)
class WantedNames:
    """What to look for in a file: free names, members, and names behind those of namespaces.

    `inner_spaces` are names by which such a namespace lies in another. `is_called` says that what
    is called may give one, `is_unknown` that a call of any of the names gives what it gave, and
    `is_loaded` that no result of a function hands the namespaces on (LOADED).
    """

    names: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()
    inner_spaces: frozenset[str] = frozenset()
    is_called: bool = False
    is_unknown: bool = False
    is_loaded: bool = False

    def may_be_in(self, there: Set[str]) -> bool:
        """Whether a text with these words may mention one.

        `"name"`, which stands for a module of that name, is no word of a text.
        """
        words = self.words
        return ALL in words or not there.isdisjoint(words) or any('"' in word for word in words)

    @property
    def words(self) -> frozenset[str]:
        """One of these has to be in the text."""
        return self.names | self.members | self.spaces

    def is_in(self, mentions: Mentions) -> bool:
        """Whether a declaration that mentions these takes one of them."""
        if not mentions.names.isdisjoint(self.names):
            return True
        if not mentions.members.isdisjoint(self.members):
            return True
        if mentions.names.isdisjoint(self.spaces):
            return False
        return ALL in self.behind or not mentions.members.isdisjoint(self.behind)

    def takes_space(self, mentions: Mentions) -> bool:
        """Whether a namespace may be meant there, and not only names in it."""
        if mentions.names.isdisjoint(self.spaces):
            return False
        if mentions.bare is None or not mentions.bare.isdisjoint(self.spaces):
            return True
        there = [f".{name}" for name in mentions.members & self.inner_spaces]
        if self.is_called:
            there += [f"{name}(" for name in (*self.spaces, *there)]
        return not mentions.bare.isdisjoint(there)

    def uses_space(self, mentions: Mentions) -> bool:
        """Whether something is done with a namespace as a whole: any of its names may matter.

        One that is imported on the spot has no name, so what is done with it is not known. Where a
        reader tells of none, a namespace is no value.
        """
        is_value = mentions.bare is not None and self.spaces.isdisjoint(_ON_THE_SPOT)
        return is_value and self.takes_space(mentions)

    def only_calls(self, mentions: Mentions) -> bool:
        """Whether nothing but what calls of the names give is taken there, and that is the same."""
        if not self.is_unknown or mentions.bare is None or ALL in self.words | self.behind:
            return False
        if not mentions.members.isdisjoint(_SELVES):
            return False
        behind = self.behind if mentions.names & self.spaces else frozenset[str]()
        members = self.members | behind
        named = {*self.names, *self.members, *(f".{name}" for name in members)}
        return mentions.bare.isdisjoint(named)

    def may_be_space(self, one: Declaration) -> bool:
        """Whether a declaration mentions nothing else, so that it may be just another name."""
        return one.shown.names <= self.spaces | {one.name, *one.exported}


def written(names: Iterable[str]) -> frozenset[str]:
    """Those of the names that are written somewhere, and stand for no others."""
    return frozenset(
        name for name in names if name[:1] not in (ALL, WHOLE) and not name.endswith("::")
    )


def loaded_spaces(spaces: frozenset[str], behind: frozenset[str]) -> WantedNames:
    """Names behind what calls give: of a name for one, or of the word that such a call begins."""
    return WantedNames(
        spaces=spaces, behind=behind, inner_spaces=_LOADING, is_called=True, is_loaded=True
    )


class FileMentions:
    """A file's declarations by the words that they mention."""

    def __init__(self, readings: Sequence[FileDeclarations]) -> None:
        self.is_sound = bool(readings) and all(reading.is_sound for reading in readings)
        self._loose = [reading.loose for reading in readings]
        self._around = [reading.around for reading in readings]
        self._by_word: defaultdict[str, list[Declaration]] = defaultdict(list)
        self._by_name: defaultdict[tuple[str, str], list[Declaration]] = defaultdict(list)
        for one in (one for reading in readings for one in reading.declarations):
            self._by_name[one.owner, one.name].append(one)
            for words in (one.shown.names, one.shown.members, one.inner.names, one.inner.members):
                for word in words:
                    self._by_word[word].append(one)

    def takes_loosely(self, wanted: WantedNames) -> bool:
        """Whether what stands outside all declarations takes one of the names."""
        return any(wanted.is_in(one) or wanted.uses_space(one) for one in self._loose)

    def hands_on_any(self, wanted: WantedNames) -> bool:
        """Whether one of the names decides what others find here, by names that nobody can tell."""
        return any(wanted.is_in(one) for one in self._around)

    def named(self, owner: str, name: str) -> Sequence[Declaration]:
        """The declarations of a name; all of them, where there are several."""
        return self._by_name.get((owner, name), ())

    def members(self, names: frozenset[str]) -> Iterable[Declaration]:
        """The declarations of members with one of these names."""
        for (owner, name), found in self._by_name.items():
            if owner and name in names:
                yield from found

    def mentioning(self, wanted: WantedNames) -> Iterable[Declaration]:
        """The declarations that may take one of the names, each once."""
        found = (one for word in self._by_word.keys() & wanted.words for one in self._by_word[word])
        return {id(one): one for one in found}.values()
