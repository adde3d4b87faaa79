"""Projects drawn by chance of which it is known, as they are made, who takes which name.

Module 0 declares functions. Each later one takes names of earlier ones in some form, mentions
some, hands some on, and may declare a value that is one of them. So each name that a module gives
away is, along a way of any length and under any other names, one function of module 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hypothesis import strategies as st

FUNCTIONS = ("Fa", "Fb", "Fc")

Kind = Literal["names", "all", "space"]
Change = Literal["signature", "gone", "body", "note"]
"""`body` and `note` are seen by nobody."""


@dataclass(frozen=True)
class Form:
    """A form of import.

    `renames` gives names another one here. `hands_on`: never, always, or None as chance will.
    `mentions` is False where nothing comes into the scope of the module, and `inside` where the
    import stands in a scope of its own, which mentions all that it takes.
    """

    name: str
    kind: Kind
    renames: bool = False
    mentions: bool = True
    inside: bool = False
    hands_on: bool | None = None


@dataclass(frozen=True)
class Link:
    """What a module takes of an earlier one: `names` are of those that this one gives away.

    `space` is what they stand behind, where the form is a namespace.
    """

    source: int
    form: Form
    names: tuple[str, ...]
    hands_on: bool
    space: str = ""


@dataclass(frozen=True)
class Module:
    """A file; `gives` are its outer names with the function that each is, None for one of its own.

    `mentioned` are expressions in it with the function that each is; `inside`, what scopes of their
    own mention. `listed` are the names that a
    star takes, where the file says so. `value` is the expression that its value `V` is.
    """

    number: int
    place: int
    links: tuple[Link, ...] = ()
    mentioned: tuple[tuple[str, str | None], ...] = ()
    inside: tuple[tuple[str, str | None], ...] = ()
    gives: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    listed: tuple[str, ...] | None = None
    value: str = ""

    @property
    def by_star(self) -> dict[str, str | None]:
        """What a star takes of it."""
        listed = self.listed
        return {
            name: one
            for name, one in self.gives.items()
            if listed is None or name.partition(".")[0] in listed
        }


class Writer(ABC):
    """A language: its forms, and how a drawn module is written in it."""

    forms: Sequence[Form]
    n_places = 3
    gives_values = True
    lists_names = False

    @abstractmethod
    def path(self, module: Module) -> str:
        """Where the module stands."""

    @abstractmethod
    def write(self, module: Module, modules: Sequence[Module], function: Mapping[str, str]) -> str:
        """Its text; `function` are the texts of module 0's functions by name."""

    @abstractmethod
    def function(self, name: str, change: Change | None) -> str:
        """One of module 0's functions, as it is or changed."""

    def space(self, form: Form, module: Module, source: Module) -> str:
        """The name of a namespace."""
        return f"s{source.number}_{module.number}"

    def around(self, modules: Sequence[Module]) -> Mapping[str, str]:
        """The files beside the modules, which mention no function."""
        return {}


@dataclass(frozen=True)
class Drawn:
    """A project with an edit of module 0: the function that it changes, and how."""

    writer: Writer
    modules: tuple[Module, ...]
    changed: str
    change: Change

    def files(self, *, edited: bool = False) -> dict[str, str]:
        """The texts, before the edit or after it."""
        functions = {
            name: self.writer.function(
                name, self.change if edited and name == self.changed else None
            )
            for name in FUNCTIONS
        }
        written = {
            self.writer.path(one): self.writer.write(one, self.modules, functions)
            for one in self.modules
        }
        return {**self.writer.around(self.modules), **written}

    @property
    def edited(self) -> str:
        """The path of module 0."""
        return self.writer.path(self.modules[0])

    def must(self) -> set[str]:
        """Who mentions what has changed: a checker can say something else about it."""
        if self.change in ("body", "note"):
            return set()
        return {self.writer.path(one) for one in self.modules[1:] if self._mentions(one)}

    def may(self) -> set[str]:
        """These, and who only hands it on or holds it."""
        if self.change in ("body", "note"):
            return set()
        held = {self.writer.path(one) for one in self.modules[1:] if self._holds(one)}
        return self.must() | held

    def hold(self, distance: Mapping[str, int]) -> None:
        """Hold the files that are reached against this, by their distance."""
        assert distance[self.edited] == 0
        reached = distance.keys() - {self.edited}
        assert self.must() <= reached, str(self)
        assert reached <= self.may(), str(self)
        assert all(distance[path] > 0 for path in reached)

    def __str__(self) -> str:
        texts = "\n".join(f"--- {path}\n{text}" for path, text in self.files().items())
        return f"{self.change} of {self.changed}:\n{texts}"

    def _mentions(self, module: Module) -> bool:
        if self.change == "gone":  # an import by name says it, too
            taken = [(link, name) for link in module.links for name in link.names]
            named = [
                self.modules[link.source].gives[name]
                for link, name in taken
                if link.form.kind == "names" and "." not in name
            ]
            if self.changed in named:
                return True
        return any(one == self.changed for _, one in (*module.mentioned, *module.inside))

    def _holds(self, module: Module) -> bool:
        """Whether it takes of a file that has the name; of one without an `export`, on the spot."""
        sources = [(link.form, self.modules[link.source]) for link in module.links]
        given = [module.gives, *(one.gives for _, one in sources)]
        if any(self.changed in one.values() for one in given):
            return True
        return any(form.inside and self._holds(one) for form, one in sources)


@st.composite
def drawn(draw: st.DrawFn, writer: Writer) -> Drawn:
    """Any such project in a language."""
    first = Module(0, draw(_below(writer.n_places)), gives={name: name for name in FUNCTIONS})
    modules = [_listed(draw, writer, first)]
    for number in range(1, draw(st.integers(2, 6))):
        modules.append(_module(draw, writer, number, modules))
    changes: tuple[Change, ...] = ("signature", "signature", "gone", "body", "note")
    return Drawn(
        writer, tuple(modules), draw(st.sampled_from(FUNCTIONS)), draw(st.sampled_from(changes))
    )


def _module(draw: st.DrawFn, writer: Writer, number: int, earlier: Sequence[Module]) -> Module:
    module = Module(number, draw(_below(writer.n_places)))
    numbers = draw(st.lists(_below(number), min_size=1, max_size=3, unique=True))
    mentioned: dict[str, str | None] = {}
    gives: dict[str, str | None] = {f"G{number}": None}
    inside: list[tuple[str, str | None]] = []
    links: list[Link] = []
    for source in [earlier[one] for one in numbers]:
        link = _link(draw, writer, module, source)
        links.append(link)
        if link.form.inside:
            inside += ((name, source.gives[name]) for name in link.names)
        taken = {} if link.form.inside else dict(_taken(link, module, source))
        if link.hands_on:
            gives.update(taken)
        if link.form.mentions:
            some = _some(draw, sorted(taken))
            mentioned.update((name, taken[name]) for name in some)
    value = ""
    if writer.gives_values and mentioned and draw(st.booleans()):
        value = draw(st.sampled_from(sorted(mentioned)))
        gives[f"V{number}"] = mentioned[value]
    made = replace(
        module,
        links=tuple(links),
        mentioned=tuple(mentioned.items()),
        inside=tuple(inside),
        gives=gives,
        value=value,
    )
    return _listed(draw, writer, made)


def _link(draw: st.DrawFn, writer: Writer, module: Module, source: Module) -> Link:
    form = draw(st.sampled_from(writer.forms))
    hands_on = draw(st.booleans()) if form.hands_on is None else form.hands_on
    names = ()
    if form.kind == "names" or form.inside:
        names = draw(st.lists(st.sampled_from(sorted(source.gives)), min_size=1, unique=True))
    space = writer.space(form, module, source) if form.kind == "space" else ""
    return Link(source.number, form, tuple(names), hands_on, space)


def _taken(link: Link, module: Module, source: Module) -> Iterator[tuple[str, str | None]]:
    """The expressions that stand for names of the source in the module."""
    if link.form.kind == "all":
        yield from source.by_star.items()
    elif link.form.kind == "space":
        yield from ((f"{link.space}.{name}", one) for name, one in source.gives.items())
    else:
        for name in link.names:
            yield here(name, link.form, module), source.gives[name]


def here(name: str, form: Form, module: Module) -> str:
    """What a name that is taken is called in the module."""
    head, dot, rest = name.partition(".")
    return f"{head}_{module.number}{dot}{rest}" if form.renames else name


def heads(link: Link) -> list[str]:
    """What is imported so that the names are there: of a dotted one what stands first."""
    return sorted({name.partition(".")[0] for name in link.names})


def _listed(draw: st.DrawFn, writer: Writer, module: Module) -> Module:
    if not writer.lists_names or draw(st.booleans()):
        return module
    names = sorted({name.partition(".")[0] for name in module.gives})
    return replace(module, listed=tuple(_some(draw, names)))


def _some(draw: st.DrawFn, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    return draw(st.lists(st.sampled_from(names), max_size=3, unique=True))


def _below(number: int) -> st.SearchStrategy[int]:
    return st.integers(0, number - 1)
