"""Understudy checks an AI agent's edits beside the user's editor."""

from understudy.values.version import __version__ as __version__

TYPE_CHECKING = False  # what `typing` says, which is not loaded for this: every start would pay
if TYPE_CHECKING:
    from understudy.faces.python.public import (
        Accepted as Accepted,
    )
    from understudy.faces.python.public import (
        AffectedFile as AffectedFile,
    )
    from understudy.faces.python.public import (
        AsyncBranch as AsyncBranch,
    )
    from understudy.faces.python.public import (
        AsyncContext as AsyncContext,
    )
    from understudy.faces.python.public import (
        AsyncTerminals as AsyncTerminals,
    )
    from understudy.faces.python.public import (
        AsyncWorkspace as AsyncWorkspace,
    )
    from understudy.faces.python.public import (
        BadInput as BadInput,
    )
    from understudy.faces.python.public import (
        Branch as Branch,
    )
    from understudy.faces.python.public import (
        BranchesChanged as BranchesChanged,
    )
    from understudy.faces.python.public import (
        BranchInfo as BranchInfo,
    )
    from understudy.faces.python.public import (
        CandidateTests as CandidateTests,
    )
    from understudy.faces.python.public import (
        Change as Change,
    )
    from understudy.faces.python.public import (
        Checkpoint as Checkpoint,
    )
    from understudy.faces.python.public import (
        Clean as Clean,
    )
    from understudy.faces.python.public import (
        CodeAnswer as CodeAnswer,
    )
    from understudy.faces.python.public import (
        CodeLine as CodeLine,
    )
    from understudy.faces.python.public import (
        CodePlace as CodePlace,
    )
    from understudy.faces.python.public import (
        Conflict as Conflict,
    )
    from understudy.faces.python.public import (
        Context as Context,
    )
    from understudy.faces.python.public import (
        Diff as Diff,
    )
    from understudy.faces.python.public import (
        Edit as Edit,
    )
    from understudy.faces.python.public import (
        Edited as Edited,
    )
    from understudy.faces.python.public import (
        Edits as Edits,
    )
    from understudy.faces.python.public import (
        Event as Event,
    )
    from understudy.faces.python.public import (
        Excerpt as Excerpt,
    )
    from understudy.faces.python.public import (
        FileVerdict as FileVerdict,
    )
    from understudy.faces.python.public import (
        Finding as Finding,
    )
    from understudy.faces.python.public import (
        FindingExplanation as FindingExplanation,
    )
    from understudy.faces.python.public import (
        Findings as Findings,
    )
    from understudy.faces.python.public import (
        FixOutcome as FixOutcome,
    )
    from understudy.faces.python.public import (
        FixReport as FixReport,
    )
    from understudy.faces.python.public import (
        FixTrial as FixTrial,
    )
    from understudy.faces.python.public import (
        FolderMap as FolderMap,
    )
    from understudy.faces.python.public import (
        HiddenFinding as HiddenFinding,
    )
    from understudy.faces.python.public import (
        Hit as Hit,
    )
    from understudy.faces.python.public import (
        JudgingTrace as JudgingTrace,
    )
    from understudy.faces.python.public import (
        Logged as Logged,
    )
    from understudy.faces.python.public import (
        LoggedEvent as LoggedEvent,
    )
    from understudy.faces.python.public import (
        MergeConflict as MergeConflict,
    )
    from understudy.faces.python.public import (
        Outline as Outline,
    )
    from understudy.faces.python.public import (
        Output as Output,
    )
    from understudy.faces.python.public import (
        OutsideFailure as OutsideFailure,
    )
    from understudy.faces.python.public import (
        Progress as Progress,
    )
    from understudy.faces.python.public import (
        RankedCandidate as RankedCandidate,
    )
    from understudy.faces.python.public import (
        Reason as Reason,
    )
    from understudy.faces.python.public import (
        Rebased as Rebased,
    )
    from understudy.faces.python.public import (
        Refactoring as Refactoring,
    )
    from understudy.faces.python.public import (
        Refused as Refused,
    )
    from understudy.faces.python.public import (
        RunResult as RunResult,
    )
    from understudy.faces.python.public import (
        Score as Score,
    )
    from understudy.faces.python.public import (
        SearchResult as SearchResult,
    )
    from understudy.faces.python.public import (
        ServerAsked as ServerAsked,
    )
    from understudy.faces.python.public import (
        ServerSaid as ServerSaid,
    )
    from understudy.faces.python.public import (
        ServersChanged as ServersChanged,
    )
    from understudy.faces.python.public import (
        ServerState as ServerState,
    )
    from understudy.faces.python.public import (
        ServerVerdict as ServerVerdict,
    )
    from understudy.faces.python.public import (
        Silenced as Silenced,
    )
    from understudy.faces.python.public import (
        Status as Status,
    )
    from understudy.faces.python.public import (
        Stored as Stored,
    )
    from understudy.faces.python.public import (
        Terminal as Terminal,
    )
    from understudy.faces.python.public import (
        Terminals as Terminals,
    )
    from understudy.faces.python.public import (
        TerminalText as TerminalText,
    )
    from understudy.faces.python.public import (
        TerminalWait as TerminalWait,
    )
    from understudy.faces.python.public import (
        UnderstudyError as UnderstudyError,
    )
    from understudy.faces.python.public import (
        Unknown as Unknown,
    )
    from understudy.faces.python.public import (
        Verdict as Verdict,
    )
    from understudy.faces.python.public import (
        Weights as Weights,
    )
    from understudy.faces.python.public import (
        Workspace as Workspace,
    )
    from understudy.faces.python.public import (
        async_reward as async_reward,
    )
    from understudy.faces.python.public import (
        async_rewards as async_rewards,
    )
    from understudy.faces.python.public import (
        reward as reward,
    )
    from understudy.faces.python.public import (
        rewards as rewards,
    )


def __getattr__(name: str) -> object:
    """Load the Python API at its first use: commands begin without it."""
    if not name.startswith("_"):
        from understudy.faces.python import public  # noqa: PLC0415 - see above

        if name in public.__all__:
            return getattr(public, name)
    raise AttributeError(f"module 'understudy' has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    """What `dir` and completion show."""
    from understudy.faces.python import public  # noqa: PLC0415 - see above

    return sorted((*globals(), *public.__all__))
