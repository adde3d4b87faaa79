"""The asynchronous Python API: a folder, its branches, and what may be asked of them."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from understudy.faces.python import questions, rankings, results, scores
from understudy.faces.python.asking import Asking
from understudy.faces.python.async_branch import AsyncBranch
from understudy.faces.python.async_context import AsyncContext, AsyncTerminals
from understudy.faces.python.code_results import CodeAnswer
from understudy.faces.python.edits import Edits
from understudy.faces.python.events import Event
from understudy.faces.python.questions import Form, Network
from understudy.faces.python.verdicts import Clean, Findings, Unknown
from understudy.findings.rewards import Score, Weights
from understudy.values.code_questions import QuestionName
from understudy.values.errors import BadInput
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope

HeldT = TypeVar("HeldT", bound="AsyncBranch")


class Opening(Generic[HeldT]):
    """A branch to come: `await` it, or enter it with `async with`."""

    def __init__(self, coming: Generator[Any, None, HeldT]) -> None:
        self._coming = coming
        self._branch: HeldT | None = None

    def __await__(self) -> Generator[Any, None, HeldT]:
        """The branch."""
        return self._coming

    async def __aenter__(self) -> HeldT:
        """The branch, whose handle is closed at the end; the branch itself is kept."""
        self._branch = await self
        return self._branch

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the handle."""
        if self._branch is not None:
            self._branch.close()


class AsyncWorkspace:
    """A folder of the user's, and all that may be asked of it.

    Where an editor or another program has the folder open, this attaches to its host, and sees the
    user's unsaved text; else this process is the host until the object is closed. It belongs to the
    event loop that uses it first.

    `trust` lets what lies in the folder be executed (its interpreter, its tools, commands of `run`)
    for this object alone; without it, the folder must be one that the user trusts.
    """

    def __init__(self, folder: str | os.PathLike[str] = ".", *, trust: bool = False) -> None:
        """Raise BadInput where there is no such folder; nothing is started yet."""
        self._asking = Asking(folder, trust=trust)
        self.context = AsyncContext(self._asking)
        self.terminals = AsyncTerminals(self._asking)

    @property
    def root(self) -> Path:
        """The folder's real path."""
        return self._asking.root.path

    async def __aenter__(self) -> AsyncWorkspace:
        """Come to the folder's host, or become it.

        Raises Refused `host-untrusted`, `host-version`, `other-terms`, `host-running`.
        """
        await self._asking.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        await self.close()

    def refuse_unusable(self) -> None:
        """Raise BadInput `closed`, `forked` where nothing can be asked here any more."""
        self._asking.refuse_unusable()

    async def close(self) -> None:
        """Leave the host, or end it with its servers; branches are kept."""
        await self._asking.close()

    def branch(self, title: str = "") -> Opening[AsyncBranch]:
        """Make a branch over the user's text as it is now; raises BadInput `bad-title`."""
        self.refuse_unusable()
        return Opening(self._make("understudy/branch/create", {"title": title}).__await__())

    def open(self, branch: str) -> Opening[AsyncBranch]:
        """Take up a kept branch by its id, whoever made it; an expired one comes back.

        Raises BadInput `unknown-branch`, which says whether it was accepted or discarded.
        """
        self.refuse_unusable()
        return Opening(self._take_up(branch).__await__())

    async def branches(self, *, archived: bool = False) -> tuple[results.BranchInfo, ...]:
        """The folder's branches, oldest first; with the archived ones if asked for."""
        told = await self._asking.ask("understudy/branch/list", {"archived": archived})
        return tuple(map(results.branch_info_of, told["branches"]))

    async def reopen(self, branch: str) -> AsyncBranch:
        """Bring a branch back from the archive; raises BadInput `unknown-branch`."""
        return await self._make("understudy/branch/reopen", {"branch": branch})

    async def check(
        self,
        edits: Edits | None = None,
        *,
        since: results.Checkpoint | str | None = None,
        revision: str | None = None,
        scope: Scope | None = None,
        severity: Severity | None = None,
        servers: Sequence[str] = (),
        timeout: float | None = None,
        strict: bool = False,
        fix: bool = False,
        only: Sequence[str] = (),
        until_clean: bool = False,
        unsafe: bool = False,
        explain: bool = False,
        trace: bool = False,
    ) -> Clean | Findings | Unknown:
        """What edits that no branch keeps would break; or what the user's text has, since then.

        Without edits, the user's text of now is compared with a checkpoint (`since`) or with a git
        revision. As `AsyncBranch.check`, but that fixes are edits of nothing: `mended.patch` has
        them. Raises BadInput for edits that do not apply, and options that cannot be used.
        """
        return await questions.check(
            self._asking, None, edits, since=since, revision=revision, scope=scope,
            severity=severity, servers=servers, timeout=timeout, strict=strict,
            fix=fix, only=only, until_clean=until_clean, unsafe=unsafe, explain=explain,
            trace=trace,
        )  # fmt: skip

    async def run(
        self,
        command: Sequence[str],
        edits: Edits | None = None,
        *,
        cwd: str = ".",
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        network: Network = "none",
        patch: bool = False,
    ) -> results.RunResult:
        """Run a command on a private copy of the folder, with edits that no branch keeps.

        As `AsyncBranch.run` does.
        """
        return await questions.run(
            self._asking, command, branch=None, edits=edits, cwd=cwd, env=env, timeout=timeout,
            network=network, keep=False, adopt=False, patch=patch,
        )  # fmt: skip

    async def checkpoint(self, title: str = "") -> results.Checkpoint:
        """Pin the user's text, to compare with later; raises BadInput `too-many-checkpoints`."""
        told = await self._asking.ask("understudy/checkpoint", {"title": title})
        return results.checkpoint_of(told)

    async def drop_checkpoint(self, checkpoint: results.Checkpoint | str) -> None:
        """Forget a checkpoint; raises BadInput `unknown-checkpoint`."""
        name = checkpoint if isinstance(checkpoint, str) else checkpoint.id
        await self._asking.ask("understudy/checkpoint", {"drop": name})

    async def affected(
        self,
        edits: Edits | None = None,
        *,
        since: results.Checkpoint | str | None = None,
        revision: str | None = None,
        tests: bool = False,
    ) -> tuple[results.AffectedFile, ...]:
        """The files that a change can reach, nearest first; no server is asked."""
        return await questions.affected(
            self._asking, None, edits, since=since, revision=revision, tests=tests
        )

    async def read(self, path: str) -> str | None:
        """A file's text as the user has it, unsaved or not; as `AsyncBranch.read`."""
        return await questions.text(self._asking, None, path)

    async def rank(
        self,
        candidates: Mapping[str, Edits] | None = None,
        *,
        branches: Sequence[str] = (),
        scope: Scope | None = None,
        severity: Severity | None = None,
        servers: Sequence[str] = (),
        timeout: float | None = None,
        command: Sequence[str] = (),
        test_timeout: float | None = None,
    ) -> tuple[rankings.RankedCandidate, ...]:
        """Many edits for one task, by name, and kept branches: best first, each with why.

        `command` runs the tests, those that can win first; in it `{tests}` stands for the files of
        tests that can run the change. What does not apply is `refused`, last of all, and no error.
        Raises BadInput `no-candidates`, and as `check` and `run` do.
        """
        return await rankings.rank(
            self._asking, candidates or {}, branches, scope=scope, severity=severity,
            servers=servers, timeout=timeout, command=command, test_timeout=test_timeout,
        )  # fmt: skip

    async def rewards(
        self,
        patches: Sequence[Edits],
        *,
        command: Sequence[str] = (),
        fail_to_pass: Sequence[str] | str = (),
        pass_to_pass: Sequence[str] | str = (),
        test_patch: Edits | None = None,
        weights: Weights | None = None,
        scope: Scope | None = None,
        severity: Severity | None = None,
        servers: Sequence[str] = (),
        timeout: float | None = None,
        test_timeout: float | None = None,
    ) -> tuple[Score, ...]:
        """What each of many patches is worth to who learns, in their order.

        `command` runs the tests; in it `{tests}` stands for the files of those named. Without
        names, those of the folder are compared with and without the patch. What does not apply is
        `refused`. Raises BadInput `no-patches`, `no-test-command`, `bad-tests`, `bad-test-patch`,
        `bad-weights`, and as `check` and `run` do.
        """
        return await scores.rewards(
            self._asking, patches, command=command, fail_to_pass=fail_to_pass,
            pass_to_pass=pass_to_pass, test_patch=test_patch, weights=weights, scope=scope,
            severity=severity, servers=servers, timeout=timeout, test_timeout=test_timeout,
        )  # fmt: skip

    async def ask(
        self,
        question: QuestionName,
        target: str,
        *,
        revision: str | None = None,
        server: str | None = None,
        timeout: float | None = None,
    ) -> CodeAnswer:
        """Ask a language server about the user's code, or a git revision's.

        `target` is `PATH:LINE:COLUMN`, `PATH:LINE:NAME`, `PATH::NAME` or a name as `Class.method`;
        of `symbols` a path, of `search` letters of a name. Raises BadInput for what names nothing.
        """
        return await questions.code(
            self._asking, question, target, branch=None, revision=revision, server=server,
            timeout=timeout,
        )  # fmt: skip

    async def outline(
        self,
        path: str,
        *,
        symbol: str | None = None,
        lines: tuple[int, int] | None = None,
        form: Form = "outline",
        budget: int | None = None,
        docs: bool = False,
    ) -> results.Outline:
        """What a file declares, within a budget of tokens; or its text.

        `symbol` (as `Class.method`) or `lines` (first and last, from 1) show a part;
        `form="full"` shows text.
        """
        return await questions.outline(
            self._asking,
            None,
            path,
            symbol=symbol,
            lines=lines,
            form=form,
            budget=budget,
            docs=docs,
        )

    async def map(
        self,
        folder: str | None = None,
        *,
        budget: int | None = None,
        task: Sequence[str] = (),
    ) -> results.FolderMap:
        """The declarations that a folder's files refer to most; `task` names files to begin at."""
        return await questions.folder_map(self._asking, None, folder, budget=budget, task=task)

    async def status(self) -> results.Status:
        """How the folder's host is doing: trust, branches, servers."""
        return results.status_of(await self._asking.ask("understudy/status", {}))

    async def events(self) -> AsyncGenerator[Event, None]:
        """What happens from now on, until the object is closed.

        Raises OutsideFailure `host-ended` where a host of another process ends.
        """
        heard = self._asking.hear()
        try:
            await heard.begun.wait()
            while (event := await heard.get()) is not None:
                yield event
            heard.raise_failure()
        finally:
            self._asking.unhear(heard)

    async def _make(self, method: str, params: dict[str, Any]) -> AsyncBranch:
        told = await self._asking.ask(method, params)
        return AsyncBranch(self._asking, told["branch"], told["title"])

    async def _take_up(self, branch: str) -> AsyncBranch:
        for info in await self.branches(archived=True):
            if info.id != branch:
                continue
            if info.ended not in (None, "expired"):
                text = f"the branch was {info.ended}; `reopen` brings it back"
                raise BadInput("unknown-branch", text, branch)
            return AsyncBranch(self._asking, info.id, info.title)
        raise BadInput("unknown-branch", f"there is none in {self.root}", branch)
