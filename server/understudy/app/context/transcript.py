"""The verb `keep transcript`: what an agent's prompt is about to lose, as a file it can search.

The agent's own file is read and never written; what is kept is without secrets.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from understudy.disk.store.transcript_copy import (
    CopiedEntry,
    CopyTotals,
    TranscriptCopy,
    forget_copy,
    indented,
)
from understudy.terminal.secrets.redaction import Redactor, plain
from understudy.terminal.secrets.rules import own_rule
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.agents.entries import said_in
from understudy.workspace.agents.profile import Agent, TranscriptForm
from understudy.workspace.agents.transcripts import RawEntry, transcripts_of
from understudy.workspace.context_place import ContextPlace

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_TITLES = (("prompt", "prompts"), ("answer", "answers"), ("result", "tool results"))


@frozen
class KeptTranscript:
    """The copy, and what it has; `redacted` secrets were taken out of what is new in it."""

    file: Path
    totals: CopyTotals
    redacted: int


def keep_transcript(
    place: ContextPlace, agent: Agent, session: str, raw: Iterable[RawEntry],
    patterns: Sequence[str] = (),
) -> KeptTranscript:  # fmt: skip
    """Copy what is new of a session's entries, one at a time; `patterns` are the user's own.

    Raises BadInput `bad-transcript` where no entry has the form that the agent's table says;
    OutsideFailure `not-installed`, `state-unwritable`, `busy`.
    """
    form = agent.transcript
    if form is None:
        raise BadInput("bad-transcript", "nothing is known of its transcripts", agent.name)
    redactor = Redactor([own_rule(pattern) for pattern in patterns])
    copy = TranscriptCopy(place.store.folder, agent.name, _file_name(session))
    totals = copy.append(lambda known: _new(raw, known, form, redactor))
    if not totals.last:
        forget_copy(copy.file)
        text = f"nothing in it has the form that we know of {agent.title}"
        raise BadInput("bad-transcript", text, session)
    return KeptTranscript(copy.file, totals, redactor.count)


def transcript_sections(
    agent: Agent, session: str, folder: Path, patterns: Sequence[str] = ()
) -> Iterator[str]:
    """A session's transcript where its agent keeps it, an entry at a time, without secrets.

    `latest` is the newest session of the folder. Raises BadInput `no-such-log` where the folder
    has no such session, `bad-transcript`; OutsideFailure `not-installed`.
    """
    found = transcripts_of(agent, folder, os.environ)
    wanted = (one for one in found if session in ("latest", one.session))
    file = next(wanted, None)
    if file is None:
        text = f"{agent.title} has no session of this name that began in {folder}"
        raise BadInput("no-such-log", text, session)
    redactor = Redactor([own_rule(pattern) for pattern in patterns])
    for number, entry in enumerate(_new(file.entries(), Counter(), file.form, redactor), 1):
        yield f"## {number} {entry.kind}\n\n{indented(entry.text)}\n"


def told_of(kept: KeptTranscript) -> str:
    """The one line that an agent is told after a compaction."""
    totals = kept.totals
    counts = [f"{totals.kinds[kind]} {title}" for kind, title in _TITLES if totals.kinds[kind]]
    text = (
        f"[understudy] The conversation was compacted. All of it until then ({', '.join(counts)}, "
        f"some {totals.size // 4} tokens) is in {kept.file}, {totals.lines} lines: "
        "search it with grep -n before you ask or guess, then read the lines around a hit."
    )
    if totals.kinds["left"]:
        text += f" In {totals.kinds['left']} places there something is left out, with the reason."
    return text


def _new(
    raw: Iterable[RawEntry], known: Counter[bytes], form: TranscriptForm, redactor: Redactor
) -> Iterator[CopiedEntry]:
    for entry in raw:
        if known[entry.digest]:
            known[entry.digest] -= 1
            continue
        if entry.trouble:
            yield CopiedEntry(entry.digest, "left", entry.trouble)
            continue
        said = said_in(entry.value, form)
        if said is not None:
            redactor.begin_another()
            yield CopiedEntry(entry.digest, said.kind, redactor.redact(plain(said.text)))


def _file_name(session: str) -> str:
    if _NAME.fullmatch(session) and not session.endswith("."):
        return session
    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:16]
