"""`understudy context …`: outputs, histories and skills as files."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli import context_facts as facts
from understudy.faces.cli import context_input as given
from understudy.faces.cli import tools as cli_tools
from understudy.faces.cli.streams import complain, hand_over, say
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root
from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.context.search import SearchAnswer
    from understudy.context.excerpt import Excerpt

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keep long outputs, histories and skills as files, and make prompts of what is needed.",
)
app.add_typer(cli_tools.app, name="mcp", hidden=True)  # what `understudy tools` was called


class _Tier(str, Enum):
    project = "project"
    user = "user"


LogArgument = Annotated[str, typer.Argument(metavar="LOG", help="The log's name: a session.")]
PolicyOption = facts.PolicyOption


@app.command("put")
def put(
    file: Annotated[
        str, typer.Argument(metavar="[FILE|-]", help="What to store; - is standard input.")
    ] = "-",
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    label: Annotated[
        str, typer.Option("--label", metavar="NAME", help="Part of the file's name.")
    ] = "output",
    exit_status: Annotated[
        int | None,
        typer.Option("--exit", metavar="STATUS", help="Exit status, for the short text."),
    ] = None,
    tier: Annotated[
        _Tier,
        typer.Option("--tier", help="For this folder, or for all of the user's folders."),
    ] = _Tier.project,
    policy: PolicyOption = None,
) -> None:
    """Store an output, exact to the byte, and print a short text that can stand for it in a prompt.

    Exit codes: 0 stored, 2 bad input, 4 not stored: the output itself is printed, the reason is on
    standard error.
    """
    from understudy.app.context.put import put_output, tidy
    from understudy.faces.answers.context import put_json

    with common.answering(output):
        data = given.input_bytes(file)
        place = given.place_of(root)
        chosen = given.policy_option(policy)
        done = put_output(place, data, label, exit_status, policy=chosen, tier=tier.value)
        if output is common.OutputFormat.json:
            say(json_line(put_json(done, data)))
        elif done.receipt is not None:
            say(done.receipt.text)
        else:
            hand_over(data)
        if done.failure is not None:
            if output is common.OutputFormat.text:
                raise done.failure
            raise typer.Exit(common.OUR_FAILURE)  # the answer has the reason
        try:
            tidy(place, given.settings_of(root))
        except UnderstudyError as error:  # it is stored all the same
            complain(f"nothing old was removed: {error.code}: {error}")


@app.command("get")
def get(
    path: Annotated[str, typer.Argument(metavar="PATH", help="As `put` and `search` name it.")],
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    lines: Annotated[
        str | None,
        typer.Option("--lines", metavar="FIRST-LAST", help="Only these lines, from 1."),
    ] = None,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", help="Only the last lines.")
    ] = None,
    grep: Annotated[
        str | None, typer.Option("--grep", metavar="TEXT", help="Only the lines with this text.")
    ] = None,
    regex: Annotated[bool, typer.Option("--regex", help="TEXT is a regular expression.")] = False,
    budget: Annotated[
        int,
        typer.Option("--budget", metavar="BYTES", help="At most so much; what is cut is counted."),
    ] = 8000,
) -> None:
    """Print a stored file, verified: all its bytes, or numbered lines of it.

    Exit codes: 0 printed, 2 bad input, 4 the file was altered, or another failure.
    """
    from understudy.app.context.get import get_part
    from understudy.context.excerpt import ExcerptPart
    from understudy.faces.answers.context import excerpt_json

    with common.answering(output):
        place = given.place_of(root)
        is_whole = lines is None and tail is None and grep is None
        if is_whole and output is common.OutputFormat.text:
            hand_over(place.holder(path).get(path))
            return
        part = ExcerptPart(given.lines_option(lines), tail, grep, regex, budget)

        async def read() -> Excerpt:
            async with given.own_workers() as workers:
                return await get_part(place, workers, path, part)

        found = common.run(read)
        if output is common.OutputFormat.json:
            say(json_line(excerpt_json(found, path)))
        else:
            say(found.text, end="")
            if found.left_out:
                say(f"[{found.left_out} of {found.matched} lines left out]")


@app.command("log")
def log(
    name: LogArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    append: Annotated[
        str | None,
        typer.Option("--append", metavar="FILE|-", help="Events to append, one JSON a line."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="AGENT",
            help="LOG is a session of this agent's in the folder, or `latest`: its own transcript "
            "is printed, without secrets.",
        ),
    ] = None,
    policy: PolicyOption = None,
) -> None:
    """Print a session's history, or append events to it; long results are kept apart.

    Exit codes: 0 done, 2 bad input (nothing was appended), 4 a failure, or a damaged log.
    """
    from understudy.context.twin import twin_head, twin_of
    from understudy.faces.answers.context import recorded_json

    with common.answering(output):
        if agent is not None:
            if append is not None:
                raise BadInput("conflicting-options", "an agent's own is only read", "--append")
            _print_transcript(agent, name, root, output)
            return
        if append is None:
            found = given.place_of(root).log(name).read().events
            if output is common.OutputFormat.json:
                say(json_line({"log": name, "events": len(found)}))
            else:
                say(twin_head(name) + twin_of(found), end="")
            return
        events, chosen = given.input_events(append), given.policy_option(policy)
        recorded = common.run(lambda: given.recorded(root, name, events, chosen))
        if output is common.OutputFormat.json:
            say(json_line(recorded_json(recorded)))
        else:
            for event in recorded.events:
                say(printable(f"#{event.seq} {event.kind}{f': {event.ref}' if event.ref else ''}"))
        for failure in recorded.failures:
            complain(f"{failure.code}: {failure}")


def _print_transcript(agent: str, session: str, root: Path, output: common.OutputFormat) -> None:
    from understudy.app.context.transcript import transcript_sections
    from understudy.workspace.agents.catalogue import agent_named

    folder, patterns = Root.open(root).path, given.settings_of(root).terminal_redact
    sections = transcript_sections(agent_named(agent), session, folder, patterns)
    if output is common.OutputFormat.json:
        say(json_line({"agent": agent, "log": session, "events": sum(1 for _ in sections)}))
        return
    for section in sections:
        say(section)


@app.command("pack")
def pack(
    name: LogArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="S", help="When the call is made, in s since 1970."),
    ] = None,
    upto: Annotated[
        int | None,
        typer.Option("--upto", metavar="SEQ", help="As it was at this event; decides nothing."),
    ] = None,
    policy: PolicyOption = None,
) -> None:
    """Make the prompt of a log for the next call of the model; old outputs leave by the policy.

    Exit codes: 0 made, 2 bad input, 4 a failure, or a damaged log.
    """
    from understudy.app.context.pack import pack_log, pack_upto
    from understudy.faces.answers.context import packed_json, request_json
    from understudy.workspace.agents.models import model_named

    with common.answering(output):
        place, chosen = given.place_of(root), given.policy_option(policy)
        model = model_named(chosen.model) if chosen.model else None
        if upto is not None:
            made = pack_upto(place, name, chosen, upto)
            body = {**made.as_json(), **request_json(made, model)}
        else:
            packed = pack_log(place, name, chosen, at)
            made, body = packed.pack, packed_json(packed, model)
        if output is common.OutputFormat.json:
            say(json_line(body))
            return
        for message in made.messages:
            say(f"--- {message.role} #{message.seq}\n{message.text}")
        if made.want is not None:
            text = f"a summary of all up to #{made.want.upto} is wanted ({made.want.reason})"
            complain(text)


@app.command("simulate")
def simulate(
    name: LogArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    policy: PolicyOption = None,
    prices: Annotated[
        str | None,
        typer.Option("--prices", metavar="JSON", help="read, write, ttl: 0.1, 1.25, 300 s."),
    ] = None,
) -> None:
    """Say what a log's prompts cost with a prefix cache, as they were and by each rule.

    Costs are in input tokens. Exit codes: 0 done, 2 bad input, 4 a failure, or a damaged log.
    """
    from understudy.app.context.simulate import simulate_log
    from understudy.context.simulate import Prices
    from understudy.faces.answers.context import simulated_json
    from understudy.values.structure import structure

    with common.answering(output):
        chosen = structure(given.json_option(prices, "--prices"), Prices, "bad-policy", "--prices")
        done = simulate_log(given.place_of(root), name, given.policy_option(policy), chosen)
        if output is common.OutputFormat.json:
            say(json_line(simulated_json(done)))
            return
        say(f"{'':8}{'calls':>6}{'tokens':>10}{'cost':>12}{'hit':>7}{'peak':>9}  rewrites")
        for rule, r in {"logged": done.logged, **done.rules}.items():
            first = f", first at #{r.diverged}" if r.diverged else ""
            wants = f"; {r.summaries_wanted} summaries wanted" if r.summaries_wanted else ""
            say(
                f"{rule:8}{r.calls:6}{r.tokens:10}{r.cost:12.1f}{r.hit:7.3f}{r.peak:9}"
                f"  {r.rewrites}{first}{wants}"
            )


app.command("note")(facts.note)
app.command("notes")(facts.notes)
app.command("stats")(facts.stats)


@app.command("skills")
def skills(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    client: Annotated[
        str | None, typer.Option("--client", metavar="NAME", help="Also look in .NAME/skills.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what the specification does not allow.")
    ] = False,
    trust: common.TrustOption = False,
) -> None:
    """Print the names and descriptions of the skills of the folder (if trusted) and the user.

    Exit codes: 0 done (problems are on standard error), 2 bad input, 4 a failure.
    """
    from understudy.faces.answers.context import skills_json

    with common.answering(output):
        index = given.skills_of(root, client, strict=strict, trust=trust)
        if output is common.OutputFormat.json:
            say(json_line(skills_json(index)))
            return
        say(index.static(), end="")
        for problem in index.problems:
            complain(f"{problem.file}: {problem.text}")


@app.command("search")
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS...", help="What to look for.")],
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    grep: Annotated[bool, typer.Option("--grep", help="Every line that has the text.")] = False,
    regex: Annotated[bool, typer.Option("--regex", help="Every line that matches it.")] = False,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="tool, file, history, mcp, skills or user."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Hits at most.")] = 20,
    trust: common.TrustOption = False,
) -> None:
    """Search outputs, histories, tools and skills: ranked words, or exact lines.

    Prints path:line: text. Exit codes: 0 done, also without hits; 2 bad input, 4 a failure.
    """
    from understudy.app.context.search import SearchQuestion, search_context
    from understudy.disk.store.search_index import KINDS
    from understudy.faces.answers.context import answer_json

    with common.answering(output):
        question = SearchQuestion(" ".join(words), grep, regex, tuple(kind or KINDS), limit)
        place = given.place_of(root)
        index = given.skills_of(root, None, strict=False, trust=trust)

        async def look() -> SearchAnswer:
            async with given.own_workers() as workers:
                return await search_context(place, workers, index, question)

        found = common.run(look)
        if output is common.OutputFormat.json:
            say(json_line(answer_json(found)))
            return
        for hit in found.hits:
            event = f" (#{hit.event})" if hit.event else ""
            say(printable(f"{hit.path}:{hit.line}:{event} {hit.text}"))
        if found.matched is not None and found.matched > len(found.hits):
            say(f"[{found.matched - len(found.hits)} of {found.matched} lines left out]")
        if found.cut or found.unread:
            complain(f"{found.cut} files searched in part, {found.unread} not at all")
