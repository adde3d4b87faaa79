"""All that `import understudy` gives."""

from understudy.faces.python.async_branch import AsyncBranch
from understudy.faces.python.async_context import AsyncContext, AsyncTerminals
from understudy.faces.python.async_workspace import AsyncWorkspace
from understudy.faces.python.code_results import CodeAnswer, CodePlace, Refactoring
from understudy.faces.python.context_verbs import Context, Terminals
from understudy.faces.python.edits import Edit, Edits
from understudy.faces.python.events import BranchesChanged, Event, Progress, ServersChanged
from understudy.faces.python.findings import CodeLine, Finding, FindingExplanation, FixTrial
from understudy.faces.python.fix_reports import FixOutcome, FixReport
from understudy.faces.python.kept_results import (
    Excerpt,
    Hit,
    Logged,
    LoggedEvent,
    SearchResult,
    Stored,
    Terminal,
    TerminalText,
    TerminalWait,
)
from understudy.faces.python.rankings import CandidateTests, RankedCandidate
from understudy.faces.python.results import (
    Accepted,
    AffectedFile,
    BranchInfo,
    Change,
    Checkpoint,
    Diff,
    Edited,
    FolderMap,
    MergeConflict,
    Outline,
    Output,
    Rebased,
    RunResult,
    ServerState,
    Status,
)
from understudy.faces.python.rewards import async_reward, async_rewards, reward, rewards
from understudy.faces.python.traces import JudgingTrace, ServerAsked, ServerSaid
from understudy.faces.python.verdicts import (
    Clean,
    FileVerdict,
    Findings,
    HiddenFinding,
    Reason,
    ServerVerdict,
    Silenced,
    Unknown,
    Verdict,
)
from understudy.faces.python.workspace import Branch, Workspace
from understudy.findings.rewards import Score, Weights
from understudy.values.errors import BadInput, Conflict, OutsideFailure, Refused, UnderstudyError

__all__ = [
    "Accepted",
    "AffectedFile",
    "AsyncBranch",
    "AsyncContext",
    "AsyncTerminals",
    "AsyncWorkspace",
    "BadInput",
    "Branch",
    "BranchInfo",
    "BranchesChanged",
    "CandidateTests",
    "Change",
    "Checkpoint",
    "Clean",
    "CodeAnswer",
    "CodeLine",
    "CodePlace",
    "Conflict",
    "Context",
    "Diff",
    "Edit",
    "Edited",
    "Edits",
    "Event",
    "Excerpt",
    "FileVerdict",
    "Finding",
    "FindingExplanation",
    "Findings",
    "FixOutcome",
    "FixReport",
    "FixTrial",
    "FolderMap",
    "HiddenFinding",
    "Hit",
    "JudgingTrace",
    "Logged",
    "LoggedEvent",
    "MergeConflict",
    "Outline",
    "Output",
    "OutsideFailure",
    "Progress",
    "RankedCandidate",
    "Reason",
    "Rebased",
    "Refactoring",
    "Refused",
    "RunResult",
    "Score",
    "SearchResult",
    "ServerAsked",
    "ServerSaid",
    "ServerState",
    "ServerVerdict",
    "ServersChanged",
    "Silenced",
    "Status",
    "Stored",
    "Terminal",
    "TerminalText",
    "TerminalWait",
    "Terminals",
    "UnderstudyError",
    "Unknown",
    "Verdict",
    "Weights",
    "Workspace",
    "async_reward",
    "async_rewards",
    "reward",
    "rewards",
]
