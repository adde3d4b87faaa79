"""Which files have a word, of those that were looked at so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from understudy.dependents.reach import Sources
from understudy.syntax.model import ALL


@dataclass
class WordIndex:
    """Reads the words of each file once, when somebody looks for one in it."""

    _sources: Sources
    _by_word: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _indexed: set[str] = field(default_factory=set[str])

    def having(self, words: Iterable[str], among: Set[str]) -> Set[str]:
        """Those of the files that have one of the words, or cannot be read."""
        for path in among - self._indexed:
            for word in self._sources.words(path) or (ALL,):
                self._by_word[word].add(path)
        self._indexed |= among
        return among & {path for word in (*words, ALL) for path in self._by_word.get(word, ())}
