"""The asynchronous Python API: a branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType

from understudy.app.accept.attended import refuse_unattended
from understudy.faces.python import questions, results
from understudy.faces.python.asking import Asking
from understudy.faces.python.code_results import CodeAnswer, Refactoring
from understudy.faces.python.edits import Edits, listed
from understudy.faces.python.questions import Form, Network
from understudy.faces.python.verdicts import Clean, Findings, Unknown
from understudy.values.code_questions import QuestionName
from understudy.values.errors import BadInput
from understudy.values.findings import Severity
from understudy.workspace.settings import Scope


class AsyncBranch:
    """Edits that are kept beside the user's files: a handle on one branch.

    Leaving `async with` closes the handle and keeps the branch; `discard` ends the branch.
    Every method raises BadInput `unknown-branch` where it was ended elsewhere, and `closed`,
    `branch-ended` where the handle was.
    """

    def __init__(self, asking: Asking, branch: str, title: str) -> None:
        """Use `AsyncWorkspace.branch` or `open`."""
        self._asking = asking
        self._id, self._title = branch, title
        self._end: str | None = None

    @property
    def id(self) -> str:
        """Its name in the folder, as `b1`."""
        return self._id

    @property
    def title(self) -> str:
        """What it is called."""
        return self._title

    def __repr__(self) -> str:
        """Its id and title."""
        return f"<{type(self).__name__} {self._id} {self._title!r}>"

    async def __aenter__(self) -> AsyncBranch:
        """The handle itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the handle."""
        self.close()

    def close(self) -> None:
        """Use the handle no more; the branch is kept."""
        self._end = self._end or "closed"

    async def edit(self, edits: Edits, *, if_stamp: str | None = None) -> results.Edited:
        """Apply edits in order, whole or not at all; a string is a diff.

        Raises BadInput for edits that do not apply, naming which, and `stale-stamp` where the
        branch has not this stamp; Conflict where the user has changed the same lines.
        """
        params = {"branch": self._usable(), "edits": listed(edits), "ifStamp": if_stamp}
        return results.edited_of(await self._asking.ask("understudy/branch/edit", params))

    async def check(
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
        return await questions.check(
            self._asking, self._usable(), None, since=since, revision=revision, scope=scope,
            severity=severity, servers=servers, timeout=timeout, strict=strict,
            fix=fix, only=only, until_clean=until_clean, unsafe=unsafe, explain=explain,
            trace=trace,
        )  # fmt: skip

    async def run(
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
        return await questions.run(
            self._asking, command, branch=self._usable(), edits=None, cwd=cwd, env=env,
            timeout=timeout, network=network, keep=keep, adopt=adopt, patch=patch,
        )  # fmt: skip

    async def diff(self) -> results.Diff:
        """The branch's edits against the user's text of now."""
        params = {"branch": self._usable()}
        return results.diff_of(await self._asking.ask("understudy/branch/diff", params))

    async def read(self, path: str) -> str | None:
        """A file's text as the branch has it; None where there is no such file.

        Bytes that are no UTF-8 are lone surrogates. Raises BadInput for what is no text.
        """
        return await questions.text(self._asking, self._usable(), path)

    async def accept(self, paths: Sequence[str] = ()) -> results.Accepted:
        """Write the branch into the folder, and end it: for programs that a person has started.

        With `paths`, these files of it alone. Without, a file that has the user's tools run
        something stays in the branch, which then goes on; Refused `by-name-only` where it has no
        other.

        Raises Refused `accept-not-allowed` on a stage, in a process that MCP or a hook has started,
        and without a terminal unless the user's own config.toml has `accept_unattended = true`;
        Refused `unsaved-buffers` where an editor has a file open that is not saved; Conflict where
        the user has changed the same lines, and then nothing is written.
        """
        params = {"branch": self._usable(), "paths": list(paths)}
        refuse_unattended()
        told = await self._asking.ask("accept", params)
        self._end = "accepted" if told["ended"] else None
        return results.accepted_of(told)

    async def fork(self, title: str | None = None) -> AsyncBranch:
        """Make another branch with the edits that this one has now."""
        params = {"branch": self._usable(), "title": title}
        told = await self._asking.ask("understudy/branch/fork", params)
        return AsyncBranch(self._asking, told["branch"], told["title"])

    async def discard(self) -> None:
        """Put the branch into the archive; `AsyncWorkspace.reopen` brings it back for a while."""
        await self._asking.ask("understudy/branch/discard", {"branch": self._usable()})
        self._end = "discarded"

    async def rebase(self, *, resolve: Mapping[str, str | None] | None = None) -> results.Rebased:
        """Merge what the user has changed meanwhile into the branch.

        `resolve` settles paths that collide: with a text, or None to delete the file. Raises
        BadInput `no-conflict` for a path that does not.
        """
        params = {"branch": self._usable(), "resolve": dict(resolve or {})}
        return results.rebased_of(await self._asking.ask("understudy/branch/rebase", params))

    async def affected(
        self,
        *,
        since: results.Checkpoint | str | None = None,
        revision: str | None = None,
        tests: bool = False,
    ) -> tuple[results.AffectedFile, ...]:
        """The files that the branch can reach, nearest first; `tests`: only tests."""
        return await questions.affected(
            self._asking, self._usable(), None, since=since, revision=revision, tests=tests
        )

    async def ask(
        self,
        question: QuestionName,
        target: str,
        *,
        server: str | None = None,
        timeout: float | None = None,
    ) -> CodeAnswer:
        """Ask a language server about the branch's code; as `AsyncWorkspace.ask`."""
        return await questions.code(
            self._asking, question, target, branch=self._usable(), revision=None, server=server,
            timeout=timeout,
        )  # fmt: skip

    async def rename(self, target: str, to: str, *, timeout: float | None = None) -> Refactoring:
        """Rename what stands at a place (as in `ask`), everywhere; the branch is checked then."""
        return await questions.refactor(self._asking, "rename", self._usable(), target, to, timeout)

    async def move(self, path: str, to: str, *, timeout: float | None = None) -> Refactoring:
        """Move a file, and mend what names it; the branch is checked then."""
        return await questions.refactor(self._asking, "move", self._usable(), path, to, timeout)

    async def act(self, target: str, title: str, *, timeout: float | None = None) -> Refactoring:
        """Take what a server offers at a place: one of `ask("actions", target)`, by its title."""
        return await questions.refactor(self._asking, "act", self._usable(), target, title, timeout)

    async def format(self, path: str, *, timeout: float | None = None) -> Refactoring:
        """Lay a file out as its server does; the branch is checked then."""
        return await questions.refactor(self._asking, "format", self._usable(), path, None, timeout)

    async def sort_imports(self, path: str, *, timeout: float | None = None) -> Refactoring:
        """Sort a file's imports as its server does; the branch is checked then."""
        return await questions.refactor(
            self._asking, "imports", self._usable(), path, None, timeout
        )

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
        """What a file of the branch declares, or its text; as `AsyncWorkspace.outline`."""
        return await questions.outline(
            self._asking, self._usable(), path, symbol=symbol, lines=lines, form=form,
            budget=budget, docs=docs,
        )  # fmt: skip

    async def map(
        self, folder: str | None = None, *, budget: int | None = None, task: Sequence[str] = ()
    ) -> results.FolderMap:
        """The map of a folder with the branch's edits; as `AsyncWorkspace.map`."""
        return await questions.folder_map(
            self._asking, self._usable(), folder, budget=budget, task=task
        )

    def _usable(self) -> str:
        """The branch's id; raises BadInput `closed`, `branch-ended`, `forked`."""
        self._asking.refuse_unusable()
        if self._end == "closed":
            text = f"this handle has been closed; the workspace's open({self._id!r}) makes another"
            raise BadInput("closed", text, self._id)
        if self._end is not None:
            raise BadInput("branch-ended", f"the branch was {self._end}", self._id)
        return self._id
