"""Answers kept: the findings of *before* are computed once a stamp."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.verdicts import Answer
from understudy.workspace.servers.choice import ServerChoice

_KEPT_ANSWERS, _KEPT_ERRORS = 8192, 256


class AnswerCache:
    """Proven answers by server, stamp and path; what is unknown is always asked again."""

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str, str], Answer] = OrderedDict()
        self._errors: OrderedDict[tuple[str, str], frozenset[str]] = OrderedDict()

    def get(
        self, choice: ServerChoice, snapshot: Snapshot, path: str, *, staged: bool, configured: str
    ) -> Answer | None:
        """The answer for exactly these texts, settings and server version, at no cost.

        `staged`: the server's own disk shows the snapshot, and so may decide the answer.
        `configured`: the state of what its configuration takes from other files.
        """
        try:
            key = self._key(choice, snapshot, path, staged=staged, configured=configured)
        except BadInput:  # no text (too large, binary): nothing was ever proven about it
            return None
        answer = self._answers.get(key)
        if answer is None:
            return None
        self._answers.move_to_end(key)
        return replace(answer, elapsed_ms=0.0, kept=True)

    def put(
        self, choice: ServerChoice, snapshot: Snapshot, answer: Answer, *,
        staged: bool, configured: str,
    ) -> None:  # fmt: skip
        """Keep a proven answer."""
        if answer.findings is None:
            return
        key = self._key(choice, snapshot, answer.path, staged=staged, configured=configured)
        self._answers[key] = answer
        if len(self._answers) > _KEPT_ANSWERS:
            self._answers.popitem(last=False)

    def errors(
        self, choice: ServerChoice, snapshot: Snapshot, configured: str
    ) -> frozenset[str] | None:
        """What the server said against its configuration in this snapshot; None: never asked."""
        return self._errors.get((choice.stamp + configured, snapshot.stamp))

    def put_errors(
        self, choice: ServerChoice, snapshot: Snapshot, errors: frozenset[str], configured: str
    ) -> None:
        """Keep what it said against its configuration."""
        self._errors[choice.stamp + configured, snapshot.stamp] = errors
        if len(self._errors) > _KEPT_ERRORS:
            self._errors.popitem(last=False)

    @staticmethod
    def _key(
        choice: ServerChoice, snapshot: Snapshot, path: str, *, staged: bool, configured: str
    ) -> tuple[str, str, str]:
        server = choice.stamp + configured
        if choice.sees_project or staged:
            return (server, snapshot.stamp, path)
        # Other texts do not matter to it, but its configuration on disk does.
        return (server, f"{snapshot.base.folder.stamp} {snapshot.digest(path)}", path)
