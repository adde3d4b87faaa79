"""A profile of an agent: what we know about one client, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from understudy.values.errors import BadInput
from understudy.values.fields import Word, doc
from understudy.values.frozen import frozen
from understudy.values.hosts import parse_hosts
from understudy.values.structure import structure

Moment = Literal["prompt", "edit", "end", "compact", "compacted"]
"""What an event of an agent means to us: a turn begins, a file was edited, the turn ends; what was
said so far is about to leave the prompt, has left it."""
_CONFIGURES = re.compile(
    r"settings|config|hook|plugin|extension|command|skill|\.toml$|\.ya?ml$|\.[jt]s$", re.I
)
EntryKind = Literal["prompt", "answer", "call", "result", "note"]
Form = Literal["json", "jsonc", "block", "file"]


@frozen
class Entry:
    """One thing of ours in a JSON file: a value at a place, or an item of the list there."""

    at: tuple[Word, ...] = field(metadata=doc("the keys that lead there, each a table"))
    value: Any = field(
        default=None,
        metadata=doc(
            "what stands there: `{command}` is our program, the item `{arguments}` all words that "
            "follow it, `{hook}` the command line of a hook (`{hook}+compactions` that of a turn's "
            "end, where a hook of compactions stands beside it), `{context}` and `{terminals}` "
            "folders of this workspace's state"
        ),
    )
    item: Any = field(default=None, metadata=doc("what is an item of the list there, instead"))


@frozen
class AgentFile:
    """One file of an agent's configuration, and what it needs in it."""

    path: Word = field(metadata=doc("relative to the folder; `~/` is the user's home"))
    form: Form = field(
        metadata=doc(
            "`json`; `jsonc`, with comments; `block`: lines between marks in a file of any form; "
            "`file`: the whole file is ours"
        )
    )
    entries: tuple[Entry, ...] = field(default=(), metadata=doc("what a JSON file is to hold"))
    text: str = field(default="", metadata=doc("the block, or the file, with the same words"))
    comment: tuple[Word, ...] = field(
        default=(Word("#"),), metadata=doc("what begins, and ends, the marks of a block")
    )
    taken: str | None = field(
        default=None,
        metadata=doc("a pattern of lines of the user's that the block would contradict"),
    )


@frozen
class Hook:
    """How an agent's hooks tell of an event, and what they take for an answer; dots lead inside."""

    events: Mapping[str, Moment] = field(metadata=doc("its events -> what each means to us"))
    event: Word = field(default=Word("hook_event_name"), metadata=doc("where the event's name is"))
    detail: str = field(
        default="", metadata=doc("where a word is that tells events of one name apart: `NAME/WORD`")
    )
    session: Word = field(default=Word("session_id"), metadata=doc("where the session's id is"))
    transcript: Word = field(
        default=Word("transcript_path"),
        metadata=doc("where the path of its transcript is, or the list of its entries"),
    )
    folder: Word = field(default=Word("cwd"), metadata=doc("where its working folder is"))
    prompt: Word = field(default=Word("prompt"), metadata=doc("where the user's prompt is"))
    paths: tuple[Word, ...] = field(default=(), metadata=doc("where the edited file's path may be"))
    patches: tuple[Word, ...] = field(default=(), metadata=doc("where a `*** Begin Patch` may be"))
    edit: Mapping[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=doc("the answer after an edit: `{text}` is ours, `{event}` the event's name"),
    )
    end: Mapping[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=doc("the answer at the end of a turn that has the agent go on"),
    )
    compacted: Mapping[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=doc("the answer after a compaction; none: it waits for the next event with one"),
    )
    prompt_answer: Mapping[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=doc("the answer to a prompt, where a compaction was not told yet"),
    )
    trouble: Mapping[str, Any] = field(
        default_factory=dict[str, Any],
        metadata=doc("the answer that shows the user what hindered us, and the model nothing"),
    )


@frozen
class TranscriptForm:
    """Where an agent keeps its transcripts, and what their entries are; dots lead inside, also
    through every item of a list."""

    kind: tuple[Word, ...] = field(
        metadata=doc("where an entry says what it is, the telling place first")
    )
    kinds: Mapping[str, EntryKind] = field(
        metadata=doc("such a word, or a key there -> what it is to us; entries without are left")
    )
    body: tuple[Word, ...] = field(metadata=doc("where the text of an entry is"))
    files: str = field(
        default="",
        metadata=doc(
            "below the home, JSON lines: `{session}` names the session, `*` is any name, `?` any "
            "one character; none: its hook hands the entries over"
        ),
    )
    drop: tuple[Word, ...] = field(default=(), metadata=doc("places in it that nobody reads"))
    folder: tuple[Word, ...] = field(
        default=(), metadata=doc("where an entry has the folder that the session is about")
    )
    folder_sum: str = field(default="", metadata=doc("where it has that folder's SHA-256 instead"))
    moved: Mapping[str, str] = field(
        default_factory=dict[str, str],
        metadata=doc("variables that name another folder -> the one below the home that it is"),
    )


@frozen
class LifeOnStage:
    """What an agent needs of the user's to live on a stage: the preset of `understudy rehearse`."""

    private: tuple[Word, ...] = field(
        default=(), metadata=doc("of the home, what it reads, and writes to a copy that goes")
    )
    read_only: tuple[Word, ...] = field(
        default=(), metadata=doc("of the home, what it reads, and cannot write")
    )
    login: tuple[Word, ...] = field(
        default=(), metadata=doc("files of its login: as `private`, and written back at the end")
    )
    history: tuple[Word, ...] = field(
        default=(),
        metadata=doc(
            "folders of transcripts: as `private`; what is new there, or has grown, stays"
        ),
    )
    variables: tuple[Word, ...] = field(
        default=(), metadata=doc("variables of yours that pass, where they are set")
    )
    sets: Mapping[str, str] = field(
        default_factory=dict[str, str],
        metadata=doc("variables that are set: no updates, no sandbox of its own inside ours"),
    )
    hosts: tuple[Word, ...] = field(default=(), metadata=doc("hosts that it reaches"))
    arguments: tuple[Word, ...] = field(
        default=(), metadata=doc("put behind its name: its own sandbox off, as ours stands")
    )


@frozen
class Resume:
    """How an agent that was given its prompt on the command line goes on with another one."""

    after: tuple[Word, ...] = field(metadata=doc("words behind which its prompt stands"))
    words: tuple[Word, ...] = field(
        metadata=doc("what stands in place of such a word and the prompt; the last is `{text}`")
    )


@frozen
class Agent:
    """One agent, from agents.toml or the user's own file; the keys of its table."""

    name: Word = field(metadata=doc("the table's own name, no key in it"))
    title: Word = field(metadata=doc("what its makers call it"))
    files: tuple[AgentFile, ...] = field(metadata=doc("the files that it needs"))
    binary: str = field(default="", metadata=doc("its program; none for an editor's extension"))
    install: str = field(default="", metadata=doc("how to install it"))
    tried: tuple[Word, ...] = field(
        default=(), metadata=doc("versions that the tests have driven; else by its documentation")
    )
    instructions: str = field(default="", metadata=doc("the file of instructions that it reads"))
    history: str = field(default="", metadata=doc("where it keeps its transcripts"))
    asks: str = field(default="", metadata=doc("what is left for the user to do, in one sentence"))
    hook: Hook | None = field(default=None, metadata=doc("how its hooks speak; none: it has none"))
    transcript: TranscriptForm | None = field(
        default=None, metadata=doc("its transcripts; none: we know no form of them")
    )
    rehearsal: LifeOnStage | None = field(
        default=None, metadata=doc("what it needs on a stage; none: nothing is known")
    )
    resume: Resume | None = field(
        default=None, metadata=doc("how it goes on with its last session; none: it cannot")
    )


def parse_agent(name: str, record: Mapping[str, object]) -> Agent:
    """An agent from an untrusted table; raises BadInput `bad-setting` with the place."""
    where = f"agents.{name}"
    if "name" in record:
        raise BadInput("bad-setting", "the table's own name is the name", f"{where}.name")
    agent = structure({"name": name, **record}, Agent, "bad-setting", where, pinpointed=True)
    for place, text in _contradictions(agent):
        raise BadInput("bad-setting", text, f"{where}.{place}")
    return agent


def _contradictions(agent: Agent) -> Iterator[tuple[str, str]]:
    yield from _of_files(agent)
    if agent.resume is not None and agent.resume.words[-1:] != ("{text}",):
        yield "resume.words", "must end with `{text}`"
    if agent.transcript is not None:
        yield from _of_transcript(agent.transcript)
    if agent.rehearsal is not None:
        yield from _of_rehearsal(agent, agent.rehearsal)


def _of_rehearsal(agent: Agent, life: LifeOnStage) -> Iterator[tuple[str, str]]:
    """Places of the home; and what is written back can name no command."""
    for key in ("private", "read_only", "login", "history"):
        for path in getattr(life, key):
            if not _is_below_home(path):
                yield f"rehearsal.{key}", f"must be a path below `~/`, not {path!r}"
    configured = {*life.private, *life.read_only, *(file.path for file in agent.files)}
    for path in (*life.login, *life.history):
        if path in configured or _CONFIGURES.search(path):
            yield "rehearsal", f"a file that configures a program is never written back: {path}"
    if not agent.binary:
        yield "rehearsal", "needs a `binary`"
    try:
        parse_hosts(life.hosts, "hosts") if life.hosts else None
    except BadInput as error:
        yield "rehearsal.hosts", error.text


def _of_transcript(form: TranscriptForm) -> Iterator[tuple[str, str]]:
    """A transcript is of one folder, and the first folder of its path has a name."""
    if form.files:
        parts = form.files.split("/")
        is_below, is_named = _is_below_home(form.files), form.files.count("{session}") == 1
        if not is_below or not is_named or {"*", "?"} & set(parts[1]):
            text = "must be a path below `~/` with one `{session}`"
            yield "transcript.files", text
        if bool(form.folder) == bool(form.folder_sum):
            yield "transcript", "needs either `folder` or `folder_sum`"
    for variable, folder in form.moved.items():
        if not form.files.startswith(f"{folder}/") or not _is_below_home(folder):
            yield f"transcript.moved.{variable}", "must be a folder that `files` begins with"


def _is_below_home(path: str) -> bool:
    parts = path.split("/")
    return parts[0] == "~" and len(parts) > 1 and not {"", ".", ".."} & set(parts)


def _of_files(agent: Agent) -> Iterator[tuple[str, str]]:
    for number, file in enumerate(agent.files):
        place = f"files[{number}]"
        is_json = file.form in ("json", "jsonc")
        if is_json != bool(file.entries) or is_json == bool(file.text):
            yield place, "needs `entries` where it is JSON, else `text`"
        parts = file.path.removeprefix("~/").split("/")
        if file.path.startswith("/") or not all(part not in ("", ".", "..") for part in parts):
            yield f"{place}.path", "must be a path below the folder, or below `~/`"
        if len(file.comment) not in (1, 2):
            yield f"{place}.comment", "is what begins a mark, and what ends it, if anything does"
        for at, entry in enumerate(file.entries):
            if not entry.at or (entry.value is None) == (entry.item is None):
                yield f"{place}.entries[{at}]", "needs `at`, and either `value` or `item`"
        try:
            re.compile(file.taken or "")
        except re.error as error:
            yield f"{place}.taken", f"is no pattern: {error}"
