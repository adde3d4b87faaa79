"""`understudy check`: what would this patch break, or what has the working tree broken?"""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from understudy.faces.answers.sound_json import json_line, json_text
from understudy.faces.cli import boundary as common
from understudy.faces.cli import mending
from understudy.faces.cli.attached import check_attached
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import complain, say
from understudy.faces.inside.place import way_out
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.json_input import read_json
from understudy.values.texts import MAX_TEXT_BYTES

if TYPE_CHECKING:
    from understudy.app.check.asked import CheckAnswer
    from understudy.workspace.options import CheckOptions, FixWish

_EXIT_CODES = {"clean": common.CLEAN, "findings": common.FINDINGS, "unknown": common.UNKNOWN}


class _Scope(str, Enum):
    edited = "edited"
    affected = "affected"
    workspace = "workspace"


class _Severity(str, Enum):
    error = "error"
    warning = "warning"
    information = "information"
    hint = "hint"


class _Format(str, Enum):
    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"
    hook = "hook"


_HOSTED = (_Format.text, _Format.json, _Format.hook)
"""What a host can print; the other formats are for CI, where there is none."""

PatchArgument = Annotated[
    str | None, typer.Argument(metavar="[PATCH|-]", help="A diff; `-` reads stdin.")
]
EditsOption = Annotated[
    Path | None,
    typer.Option(
        "--edits", metavar="FILE.json", help="A list of edits instead of a diff.", readable=False
    ),
]
BaseOption = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REV",
        help="Without a patch: what the working tree is compared with (default: HEAD); "
        "a branch means the commit where HEAD left it.",
    ),
]
FormatOption = Annotated[
    _Format,
    typer.Option(
        "--format",
        help="Text, JSON, GitHub annotations, SARIF 2.1.0, or what an agent's hook prints "
        "(all on stdout).",
    ),
]
AgentOption = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="With --format hook: read an event of this agent's hooks from stdin and answer it.",
    ),
]
ScopeOption = Annotated[
    _Scope | None,
    typer.Option(help="Files judged: the edited, those it affects (default), or all."),
]
SeverityOption = Annotated[
    _Severity | None,
    typer.Option(help="Mildest finding that counts for the verdict (default: error)."),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="A file that no server judges makes it unknown.")
]
BranchOption = Annotated[
    str | None, typer.Option("--branch", metavar="ID", help="Check this kept branch as it is.")
]
NoHostOption = Annotated[
    bool, typer.Option("--no-host", help="Ask no running host, and leave no servers running.")
]


def check(
    patch: PatchArgument = None,
    edits: EditsOption = None,
    base: BaseOption = None,
    root: common.RootOption = Path(),
    output: FormatOption = _Format.text,
    scope: ScopeOption = None,
    severity: SeverityOption = None,
    server: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Ask only this server (repeatable).")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="S", help="Time limit in seconds (default: 60).")
    ] = None,
    trust: common.TrustOption = False,
    strict: StrictOption = False,
    no_host: NoHostOption = False,
    agent: AgentOption = None,
    branch: BranchOption = None,
    explain: mending.ExplainOption = False,
    fix: mending.FixOption = False,
    only: mending.OnlyOption = None,
    until_clean: mending.UntilCleanOption = False,
    unsafe: mending.UnsafeOption = False,
    diff_out: mending.DiffOutOption = None,
    trace: mending.TraceOption = None,
) -> None:
    """Say what a patch would introduce, or (without one) what the working tree has introduced.

    A patch is applied to shadow copies; the folder itself is not touched, nor is .git. Without a
    patch, tracked changes and new files that git does not ignore are compared with --base.

    Where an editor or an agent has the folder open, its host judges, over the unsaved text. Else
    the servers stay for the next check, until none has come for 15 minutes (host_minutes).
    Real language servers judge the changed files and those that depend on them, before and after;
    silence is never taken for clean.

    With --fix, what servers offer for the findings is tried on copies and kept if those are gone
    and nothing new comes. The folder stays as it is; a kept branch takes the fixes as edits.

    Exit codes: 0 clean, 1 findings, 2 bad input or the patch does not apply, 3 unknown,
    4 a failure of our own, 130 interrupted.

    Examples: git diff HEAD...topic | understudy check - ; understudy check --base main ;
    understudy check --fix --diff-out - | git apply
    """
    from understudy.workspace.options import CheckOptions

    options = CheckOptions(
        scope.value if scope else None, severity.value if severity else None,
        tuple(server or ()), timeout, strict,
    )  # fmt: skip
    as_json = output is _Format.json and diff_out != "-"  # there, standard output is the patch's
    with common.answering(common.OutputFormat.json if as_json else common.OutputFormat.text):
        _answer_agent(agent, output)
        wish = mending.wish_of(fix, only, until_clean, unsafe, diff_out)
        mending.refuse_unwritable(root, diff_out, trace)
        raw = _edits_beside(patch, edits, base, branch)
        asked = _Asked(root, raw, branch, base, options, wish, explain, output, trust, trace)
        _answer(asked, diff_out, no_host=no_host)


def _answer_agent(agent: str | None, output: _Format) -> None:
    """Answer an agent's event, where the command is for one, and exit."""
    if agent is None:
        return
    from understudy.faces.hooks.answer import answer_event
    from understudy.workspace.agents.events import MAX_EVENT_BYTES

    if output is not _Format.hook:
        raise BadInput("conflicting-options", "--agent goes with --format hook", agent)
    told, trouble = answer_event(agent, sys.stdin.buffer.read(MAX_EVENT_BYTES + 1), common.run)
    if told:
        say(told)
    if trouble:
        complain(trouble)
    raise typer.Exit(common.CLEAN)


@frozen
class _Asked:
    """What the command line asks, by whoever answers it."""

    root: Path
    edits: list[dict[str, Any]] | None
    branch: str | None
    base: str | None
    options: CheckOptions
    wish: FixWish | None
    explain: bool
    output: _Format
    trusts: bool
    trace: str | None

    @property
    def revision(self) -> str | None:
        """What is compared with, if it is no branch nor edits over the folder."""
        is_over_folder = self.edits is not None or self.branch is not None
        return self.base if is_over_folder or way_out() is not None else self.base or "HEAD"


def _answer(asked: _Asked, diff_out: str | None, *, no_host: bool) -> None:
    """Print what was found, by the folder's host or without one, and exit with its code."""
    answer = None
    if asked.branch is not None or (not no_host and asked.output in _HOSTED):
        answer = _ask_host(asked, no_host=no_host)
    if answer is None:
        answer = _alone(asked)
    if answer.compared is not None:
        complain(f"compared with {answer.compared}")
    if diff_out is not None:
        mending.hand_over_patch(answer.patch or "", diff_out, asked.root)
    if asked.trace is not None and answer.trace is not None:
        mending.write_trace(answer.trace, asked.trace, asked.root)
    say(answer.text, err=diff_out == "-", end="")
    raise typer.Exit(_EXIT_CODES[answer.verdict])


@frozen
class _Answer:
    verdict: str
    compared: str | None
    text: str
    patch: str | None
    trace: dict[str, Any] | None


def _edits_beside(
    patch: str | None, edits: Path | None, base: str | None, branch: str | None
) -> list[dict[str, Any]] | None:
    """The edits that are checked, if any; what else names a side does not go with them."""
    if patch is None and edits is None:
        return None
    if base is not None:
        text = "--base is for the working tree; a patch is compared with the folder as is"
        raise BadInput("conflicting-options", text, base)
    if branch is not None:
        text = "a kept branch is checked as it is; give either --branch or a patch"
        raise BadInput("conflicting-options", text, branch)
    return read_edits(patch, edits)


def _ask_host(asked: _Asked, *, no_host: bool) -> _Answer | None:
    """Let the folder's host answer; None where none does."""
    if asked.branch is not None and (no_host or asked.output not in _HOSTED):
        text = "a kept branch is checked by the folder's host, which prints text, json and hook"
        raise BadInput("conflicting-options", text, "--branch")
    answer = check_attached(
        asked.root, asked.edits, asked.branch, asked.revision, asked.options, asked.wish,
        asked.output.value, explain=asked.explain, traces=asked.trace is not None,
        trusts=asked.trusts,
    )  # fmt: skip
    if answer is None:
        return None
    return _Answer(
        answer["verdict"],
        answer["compared"],
        answer["text"],
        answer.get("patch"),
        answer.get("trace"),
    )


def _alone(asked: _Asked) -> _Answer:
    from understudy.app.check.alone import check_alone
    from understudy.app.check.asked import CheckQuestion

    question = CheckQuestion(edits=asked.edits, revision=asked.revision, options=asked.options)
    with terminal_progress() as progress:
        found = common.run(
            lambda: check_alone(
                asked.root,
                question,
                asked.wish,
                explain=asked.explain,
                traces=asked.trace is not None,
                trust=asked.trusts,
                progress=progress,
            )
        )
    verdict, mended = found.checked.report.verdict, found.checked.mended
    text = _formatted(found, asked.output, asked.root, _EXIT_CODES[verdict])
    trace = None
    if found.trace is not None:
        from understudy.faces.answers.report_trace import trace_json

        trace = trace_json(found.trace)
    patch = None if mended is None else mended.patch
    return _Answer(verdict, found.revision, text, patch, trace)


def _formatted(found: CheckAnswer, output: _Format, root: Path, code: int) -> str:
    checked = found.checked
    if output is _Format.json:
        from understudy.faces.answers.check import check_json

        return json_line(check_json(checked), indent=1) + "\n"
    if output is _Format.sarif:
        from understudy.faces.answers.report_sarif import check_sarif

        return json_text(check_sarif(checked, code), indent=1) + "\n"
    if output is _Format.github:
        from understudy.faces.answers.report_github import check_github

        return check_github(checked, root)
    if output is _Format.hook:
        from understudy.faces.answers.report_hook import check_hook

        return check_hook(checked, found.revision)
    from understudy.faces.answers.report_text import check_text

    return check_text(checked)


def read_edits(patch: str | None, edits: Path | None) -> list[dict[str, Any]]:
    """The edits as the contract's JSON list; a diff is a list of one."""
    if patch is not None and edits is not None:
        text = "give either a PATCH (or - for stdin) or --edits FILE.json"
        raise BadInput("conflicting-options", text)
    if edits is not None:
        try:
            raw = read_json(_read(edits.open("rb").read(), str(edits)), str(edits))
        except OSError as error:
            raise BadInput(
                "no-such-file", f"cannot read it: {error.strerror}", str(edits)
            ) from error
        if not isinstance(raw, list):
            raise BadInput("bad-edits", "the file must hold a JSON list of edits", str(edits))
        from understudy.edits.model import refuse_no_edits

        refuse_no_edits(cast("list[object]", raw), str(edits))
        return cast("list[dict[str, Any]]", raw)
    if patch == "-":
        return [{"kind": "diff", "text": _read(sys.stdin.buffer.read(), "stdin")}]
    assert patch is not None
    try:
        return [{"kind": "diff", "text": _read(Path(patch).read_bytes(), patch)}]
    except OSError as error:
        raise BadInput("no-such-file", f"cannot read it: {error.strerror}", patch) from error


def _read(data: bytes, where: str) -> str:
    if len(data) > MAX_TEXT_BYTES:
        raise BadInput("too-large", f"{len(data)} bytes, the limit is {MAX_TEXT_BYTES}", where)
    return data.decode("utf-8", "surrogateescape")
