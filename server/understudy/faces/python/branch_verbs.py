"""Synchronous verbs; made by `python -m tools.python_verbs --write`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from understudy.faces.python import results
from understudy.faces.python.async_branch import AsyncBranch
from understudy.faces.python.code_results import CodeAnswer, Refactoring
from understudy.faces.python.edits import Edits
from understudy.faces.python.loop_thread import LoopThread
from understudy.faces.python.questions import Form, Network
from understudy.faces.python.verdicts import Clean, Findings, Unknown
from understudy.values.code_questions import QuestionName
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope


class BranchVerbs:
    """Edits that are kept beside the user's files: a handle on one branch.

    Leaving `async with` closes the handle and keeps the branch; `discard` ends the branch.
    Every method raises BadInput `unknown-branch` where it was ended elsewhere, and `closed`,
    `branch-ended` where the handle was.
    """

    def __init__(self, verbs: AsyncBranch, loop: LoopThread) -> None:
        self._async, self._loop = verbs, loop

    @property
    def id(self) -> str:
        """Its name in the folder, as `b1`."""
        return self._async.id

    @property
    def title(self) -> str:
        """What it is called."""
        return self._async.title

    def edit(self, edits: Edits, *, if_stamp: str | None = None) -> results.Edited:
        """Apply edits in order, whole or not at all; a string is a diff.

        Raises BadInput for edits that do not apply, naming which, and `stale-stamp` where the
        branch has not this stamp; Conflict where the user has changed the same lines.
        """
        return self._loop.run(self._async.edit(edits, if_stamp=if_stamp))

    def check(
        self,
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
        """What the branch would break: compared with the user's text, unless told otherwise.

        `since` is a checkpoint, `revision` a git revision to compare with instead. `scope` says
        which files are judged (default: those that the edits can affect), `severity` the mildest
        finding that counts (default: error), `servers` names who is asked alone, `timeout` is in s
        (default: 60); `strict`: a file that no server judges makes it unknown.

        `fix` tries the servers' own fixes for what is introduced, and makes those that help edits
        of the branch; the verdict is on those, and its `mended` tells of each. `only` names the
        codes that are mended, `until_clean` tries what is left once more as long as anything helps,
        `unsafe` tries what servers do not vouch for. `explain` gives introduced findings an
        `explanation`, `trace` the verdict a `trace`: who was asked, shown what, and said what.
        Raises BadInput `stale-stamp` where the branch was edited while it was mended.
        """
        return self._loop.run(
            self._async.check(
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
        *,
        cwd: str = ".",
        env: Mapping[str, str] | None = None,
        timeout: float | None = None,
        network: Network = "none",
        keep: bool = False,
        adopt: bool = False,
        patch: bool = False,
    ) -> results.RunResult:
        """Run a program on a private copy of the folder with the branch's edits; no shell.

        `cwd` is relative to the root, `env` is put over a scrubbed environment, `timeout` is in s
        (default: 600). `keep` keeps build products for the branch's next run with `keep`, `adopt`
        makes what the command changed edits of the branch, `patch` gives it as a diff.
        Raises Refused `untrusted`; BadInput for what cannot be run.
        """
        return self._loop.run(
            self._async.run(
                command,
                cwd=cwd,
                env=env,
                timeout=timeout,
                network=network,
                keep=keep,
                adopt=adopt,
                patch=patch,
            )
        )

    def diff(self) -> results.Diff:
        """The branch's edits against the user's text of now."""
        return self._loop.run(self._async.diff())

    def read(self, path: str) -> str | None:
        """A file's text as the branch has it; None where there is no such file.

        Bytes that are no UTF-8 are lone surrogates. Raises BadInput for what is no text.
        """
        return self._loop.run(self._async.read(path))

    def accept(self, paths: Sequence[str] = ()) -> results.Accepted:
        """Write the branch into the folder, and end it: for programs that a person has started.

        With `paths`, these files of it alone. Without, a file that has the user's tools run
        something stays in the branch, which then goes on; Refused `by-name-only` where it has no
        other.

        Raises Refused `accept-not-allowed` on a stage, in a process that MCP or a hook has started,
        and without a terminal unless the user's own config.toml has `accept_unattended = true`;
        Refused `unsaved-buffers` where an editor has a file open that is not saved; Conflict where
        the user has changed the same lines, and then nothing is written.
        """
        return self._loop.run(self._async.accept(paths))

    def discard(self) -> None:
        """Put the branch into the archive; `Workspace.reopen` brings it back for a while."""
        self._loop.run(self._async.discard())

    def rebase(self, *, resolve: Mapping[str, str | None] | None = None) -> results.Rebased:
        """Merge what the user has changed meanwhile into the branch.

        `resolve` settles paths that collide: with a text, or None to delete the file. Raises
        BadInput `no-conflict` for a path that does not.
        """
        return self._loop.run(self._async.rebase(resolve=resolve))

    def affected(
        self,
        *,
        since: results.Checkpoint | str | None = None,
        revision: str | None = None,
        tests: bool = False,
    ) -> tuple[results.AffectedFile, ...]:
        """The files that the branch can reach, nearest first; `tests`: only tests."""
        return self._loop.run(self._async.affected(since=since, revision=revision, tests=tests))

    def ask(
        self,
        question: QuestionName,
        target: str,
        *,
        server: str | None = None,
        timeout: float | None = None,
    ) -> CodeAnswer:
        """Ask a language server about the branch's code; as `Workspace.ask`."""
        return self._loop.run(self._async.ask(question, target, server=server, timeout=timeout))

    def rename(self, target: str, to: str, *, timeout: float | None = None) -> Refactoring:
        """Rename what stands at a place (as in `ask`), everywhere; the branch is checked then."""
        return self._loop.run(self._async.rename(target, to, timeout=timeout))

    def move(self, path: str, to: str, *, timeout: float | None = None) -> Refactoring:
        """Move a file, and mend what names it; the branch is checked then."""
        return self._loop.run(self._async.move(path, to, timeout=timeout))

    def act(self, target: str, title: str, *, timeout: float | None = None) -> Refactoring:
        """Take what a server offers at a place: one of `ask("actions", target)`, by its title."""
        return self._loop.run(self._async.act(target, title, timeout=timeout))

    def format(self, path: str, *, timeout: float | None = None) -> Refactoring:
        """Lay a file out as its server does; the branch is checked then."""
        return self._loop.run(self._async.format(path, timeout=timeout))

    def sort_imports(self, path: str, *, timeout: float | None = None) -> Refactoring:
        """Sort a file's imports as its server does; the branch is checked then."""
        return self._loop.run(self._async.sort_imports(path, timeout=timeout))

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
        """What a file of the branch declares, or its text; as `Workspace.outline`."""
        return self._loop.run(
            self._async.outline(
                path, symbol=symbol, lines=lines, form=form, budget=budget, docs=docs
            )
        )

    def map(
        self, folder: str | None = None, *, budget: int | None = None, task: Sequence[str] = ()
    ) -> results.FolderMap:
        """The map of a folder with the branch's edits; as `Workspace.map`."""
        return self._loop.run(self._async.map(folder, budget=budget, task=task))
