"""Synchronous verbs; made by `python -m tools.python_verbs --write`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy.faces.python import rankings, results
from understudy.faces.python.async_workspace import AsyncWorkspace
from understudy.faces.python.code_results import CodeAnswer
from understudy.faces.python.edits import Edits
from understudy.faces.python.loop_thread import LoopThread
from understudy.faces.python.questions import Form, Network
from understudy.faces.python.verdicts import Clean, Findings, Unknown
from understudy.findings.rewards import Score, Weights
from understudy.values.code_questions import QuestionName
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope


class WorkspaceVerbs:
    """A folder of the user's, and all that may be asked of it.

    Where an editor or another program has the folder open, this attaches to its host, and sees the
    user's unsaved text; else this process is the host until the object is closed. It belongs to the
    event loop that uses it first.

    `trust` lets what lies in the folder be executed (its interpreter, its tools, commands of `run`)
    for this object alone; without it, the folder must be one that the user trusts.
    """

    def __init__(self, verbs: AsyncWorkspace, loop: LoopThread) -> None:
        self._async, self._loop = verbs, loop

    @property
    def root(self) -> Path:
        """The folder's real path."""
        return self._async.root

    def branches(self, *, archived: bool = False) -> tuple[results.BranchInfo, ...]:
        """The folder's branches, oldest first; with the archived ones if asked for."""
        return self._loop.run(self._async.branches(archived=archived))

    def check(
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
        revision. As `Branch.check`, but that fixes are edits of nothing: `mended.patch` has
        them. Raises BadInput for edits that do not apply, and options that cannot be used.
        """
        return self._loop.run(
            self._async.check(
                edits,
                since=since,
                revision=revision,
                scope=scope,
                severity=severity,
                servers=servers,
                timeout=timeout,
                strict=strict,
                fix=fix,
                only=only,
                until_clean=until_clean,
                unsafe=unsafe,
                explain=explain,
                trace=trace,
            )
        )

    def run(
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

        As `Branch.run` does.
        """
        return self._loop.run(
            self._async.run(
                command, edits, cwd=cwd, env=env, timeout=timeout, network=network, patch=patch
            )
        )

    def checkpoint(self, title: str = "") -> results.Checkpoint:
        """Pin the user's text, to compare with later; raises BadInput `too-many-checkpoints`."""
        return self._loop.run(self._async.checkpoint(title))

    def drop_checkpoint(self, checkpoint: results.Checkpoint | str) -> None:
        """Forget a checkpoint; raises BadInput `unknown-checkpoint`."""
        self._loop.run(self._async.drop_checkpoint(checkpoint))

    def affected(
        self,
        edits: Edits | None = None,
        *,
        since: results.Checkpoint | str | None = None,
        revision: str | None = None,
        tests: bool = False,
    ) -> tuple[results.AffectedFile, ...]:
        """The files that a change can reach, nearest first; no server is asked."""
        return self._loop.run(
            self._async.affected(edits, since=since, revision=revision, tests=tests)
        )

    def read(self, path: str) -> str | None:
        """A file's text as the user has it, unsaved or not; as `Branch.read`."""
        return self._loop.run(self._async.read(path))

    def rank(
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
        return self._loop.run(
            self._async.rank(
                candidates,
                branches=branches,
                scope=scope,
                severity=severity,
                servers=servers,
                timeout=timeout,
                command=command,
                test_timeout=test_timeout,
            )
        )

    def rewards(
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
        return self._loop.run(
            self._async.rewards(
                patches,
                command=command,
                fail_to_pass=fail_to_pass,
                pass_to_pass=pass_to_pass,
                test_patch=test_patch,
                weights=weights,
                scope=scope,
                severity=severity,
                servers=servers,
                timeout=timeout,
                test_timeout=test_timeout,
            )
        )

    def ask(
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
        return self._loop.run(
            self._async.ask(question, target, revision=revision, server=server, timeout=timeout)
        )

    def outline(
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
        return self._loop.run(
            self._async.outline(
                path, symbol=symbol, lines=lines, form=form, budget=budget, docs=docs
            )
        )

    def map(
        self, folder: str | None = None, *, budget: int | None = None, task: Sequence[str] = ()
    ) -> results.FolderMap:
        """The declarations that a folder's files refer to most; `task` names files to begin at."""
        return self._loop.run(self._async.map(folder, budget=budget, task=task))

    def status(self) -> results.Status:
        """How the folder's host is doing: trust, branches, servers."""
        return self._loop.run(self._async.status())
