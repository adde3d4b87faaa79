"""An environment of verifiers (its `v1`): a model answers with a patch, and evidence rewards it.

    --env.taskset.id understudy.adapters.verifiers --env.taskset.rows tasks.jsonl

Each row has `folder`, `prompt`, and what a patch of it is scored by. Verifiers is loaded with this
module, and with no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.faces.python.rewards import async_reward
from understudy.findings.rewards import Score
from understudy.values.errors import BadInput
from understudy.values.json_input import read_json

_vf: Any = import_module("verifiers.v1")
_FENCED = re.compile(r"^```(?:diff|patch)?[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SCORE = "understudy"


class PatchData(_vf.TaskData):  # pyright: ignore[reportUntypedBaseClass] - it is there only where verifiers is
    """A task: the folder, and what a patch of it is scored by; `test_patch` is a diff."""

    folder: str
    trust: bool = False
    command: list[str] = []  # noqa: RUF012 - pydantic copies it
    fail_to_pass: list[str] = []  # noqa: RUF012 - as above
    pass_to_pass: list[str] = []  # noqa: RUF012 - as above
    test_patch: str | None = None


class PatchTask(_vf.Task[PatchData]):  # pyright: ignore[reportUntypedBaseClass] - as above
    """Rewards the diff that the last reply has, in a fence or as a whole."""

    @_vf.reward(weight=1.0)  # pyright: ignore[reportUntypedFunctionDecorator] - as above
    async def evidence(self, trace: Any) -> float:  # noqa: ANN401 - verifiers' Trace
        """The reward of `understudy.reward`."""
        return (await self._score(trace)).reward

    @_vf.metric(priority=-1)  # pyright: ignore[reportUntypedFunctionDecorator] - as above
    async def facts(self, trace: Any) -> dict[str, float]:  # noqa: ANN401 - as above
        """Every fact of the score that is a number."""
        told = asdict(await self._score(trace))
        told.pop("reward")
        return {name: float(one) for name, one in told.items() if isinstance(one, int | float)}

    async def _score(self, trace: Any) -> Score:  # noqa: ANN401 - as above
        """Scored once a trace, whoever asks first."""
        known = trace.info.get(_SCORE)
        if known is None:
            data: Any = self.data  # pyright: ignore[reportUnknownMemberType] - as the class
            score = await async_reward(
                patch_in(trace.last_reply), data.folder, trust=data.trust, command=data.command,
                fail_to_pass=data.fail_to_pass, pass_to_pass=data.pass_to_pass,
                test_patch=data.test_patch,
            )  # fmt: skip
            trace.info[_SCORE] = known = asdict(score)
        return Score(**known)


class PatchesConfig(_vf.TasksetConfig):  # pyright: ignore[reportUntypedBaseClass] - as above
    """Where the tasks are: JSON lines with the fields of `PatchData`."""

    rows: str


class Patches(_vf.Taskset[PatchTask, PatchesConfig]):  # pyright: ignore[reportUntypedBaseClass] - as above
    """The tasks of a file."""

    def load(self) -> Iterator[Any]:
        """A task a line; raises BadInput for a line that is none."""
        config: Any = self.config  # pyright: ignore[reportUnknownMemberType] - as the class
        file = Path(config.rows)
        for number, line in enumerate(file.read_bytes().splitlines(), 1):
            raw: Any = read_json(line, f"{file}:{number}")
            if not isinstance(raw, dict):
                raise BadInput("bad-row", "expected an object", f"{file}:{number}")
            yield PatchTask(PatchData(**raw), config.task)


def patch_in(reply: str) -> str:
    """The diff in a reply: what its last fence holds, or all of it."""
    fenced = _FENCED.findall(reply)
    return fenced[-1] if fenced else reply


__all__ = ["Patches"]
