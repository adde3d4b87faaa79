"""Writes the reference page of agents, docs/reference/agents.md, from their one table.

python -m tools.agent_reference           print the page
python -m tools.agent_reference --write   write it
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tools.reference_fields import fields_table
from understudy.workspace.agents.catalogue import shipped_agents
from understudy.workspace.agents.profile import (
    Agent,
    AgentFile,
    Entry,
    Hook,
    LifeOnStage,
    TranscriptForm,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "agents.md"

_HEAD = """\
<!-- Made by `python -m tools.agent_reference --write`; do not edit. -->

# Agents

What Understudy knows of each agent is one table, `server/understudy/workspace/agents/agents.toml`.
`understudy setup` and the hooks are made from it.
A file of the same form, `agents.toml` in your own configuration folder, adds an agent or replaces
keys of ours (on Linux that is `~/.config/understudy`).
No folder's file can.

```toml
[hal]
title = "HAL"

[[hal.files]]
path = ".hal/mcp.json"
form = "json"
entries = [{ at = ["servers", "understudy"], value = { command = "{command}", args = ["mcp"] } }]
```

A mistake is the error `bad-setting`, with its place (`agents.hal.titel`) and what is wrong.
"""

_PARTS: tuple[tuple[str, type], ...] = (
    ("Keys", Agent),
    ("`files`", AgentFile),
    ("`entries`", Entry),
    ("`hook`", Hook),
    ("`transcript`", TranscriptForm),
    ("`rehearsal`", LifeOnStage),
)


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *_known(), *_transcripts(), *_opened(), *_keys()])


def _known() -> Iterator[str]:
    yield "## What we know\n"
    yield (
        "Versions are those that the tests have driven with a scripted model; without one it is "
        "what the agent's documentation says. A hook speaks after an edit (three lines on the "
        "edited file) or at the end of a turn (everything), in the form that its agent reads.\n"
    )
    yield "| name | agent | tried | files | speaks | what it asks of you |"
    yield "|---|---|---|---|---|---|"
    for agent in shipped_agents():
        files = "<br>".join(f"`{file.path}`" for file in agent.files)
        moments = () if agent.hook is None else agent.hook.events.values()
        speaks = [word for moment, word in (("edit", "edit"), ("end", "turn")) if moment in moments]
        asks = agent.asks.replace("{context}", "_the folder that `setup` names_")
        asks = asks.replace("{server}", "_the entry that `setup` shows_")
        cells = (
            f"`{agent.name}`", agent.title, ", ".join(agent.tried) or "-", files,
            ", ".join(speaks) or "-", asks or "-",
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield ""


def _transcripts() -> Iterator[str]:
    yield "## Their transcripts\n"
    yield (
        "What a compaction drops from an agent's prompt is copied before, without secrets, and the "
        "agent is told in one line where. [How](context.md#transcripts-of-agents). `understudy "
        "context log SESSION --agent AGENT` prints a transcript where it lies. Of the other agents "
        "we know no transcripts that we could read.\n"
    )
    yield "| name | where they lie | copied | the agent is told |"
    yield "|---|---|---|---|"
    for agent in shipped_agents():
        if agent.transcript is not None:
            files = agent.transcript.files
            where = f"`{files}`" if files else "in a database of its own"
            yield f"| `{agent.name}` | {' | '.join((where, *_compaction(agent.hook)))} |"
    yield ""


def _compaction(hook: Hook | None) -> tuple[str, str]:
    moments = set(() if hook is None else hook.events.values())
    if hook is None or not moments & {"compact", "compacted"}:
        return "-", "-"
    before = "before a compaction" if "compact" in moments else "at a compaction"
    return before, "at once" if hook.compacted else "with its next edit or prompt"


def _opened() -> Iterator[str]:
    yield "## What each needs on a stage\n"
    yield (
        "The preset of `understudy rehearse -- AGENT`: what is shown to it besides the folder. You "
        "are asked once for each agent, and again where its table opens more.\n"
    )
    yield "| name | hosts | of your home, a copy | read-only | written back | variables | set |"
    yield "|---|---|---|---|---|---|---|"
    for agent in shipped_agents():
        life = agent.rehearsal
        if life is not None:
            set_to = [f"{name}={value}" for name, value in life.sets.items()]
            set_to += [" ".join(life.arguments)] if life.arguments else []
            lists = (
                life.hosts, life.private, life.read_only, (*life.login, *life.history),
                life.variables, set_to,
            )  # fmt: skip
            cells = ["<br>".join(f"`{one}`" for one in items) or "-" for items in lists]
            yield f"| `{agent.name}` | {' | '.join(cells)} |"
    yield ""


def _keys() -> Iterator[str]:
    for title, kind in _PARTS:
        yield f"## {title}\n\n{fields_table(kind, without=('name',))}"


def main(arguments: list[str]) -> int:
    """Print or write the page; returns the exit code."""
    if arguments == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    elif not arguments:
        sys.stdout.write(page())
    else:
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
