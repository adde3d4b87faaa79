"""When a summary is wanted, what is asked for, what is taken, and what stays after it."""

from __future__ import annotations

import pytest

from tests.context.test_pack import turns
from understudy.context.events import Event, History
from understudy.context.pack import pack
from understudy.context.policy import Policy
from understudy.context.summary import accepted, stripped, topic_text
from understudy.values.errors import BadInput


def with_more(history: History, *events: Event) -> History:
    made = list(history.events)
    for event in events:
        made.append(event.numbered(len(made) + 1, event.at or made[-1].at))
    return History(history.name, made)


def refused(history: History, text: str, upto: int) -> str:
    with pytest.raises(BadInput) as caught:
        accepted(history, text, upto, Policy())
    assert caught.value.code == "bad-summary"
    return caught.value.text


def test_wanted_at_seventy_percent_of_the_window() -> None:
    history = turns(10)
    tokens = pack(history).stats.tokens
    below = pack(history, Policy(window=int(tokens / 0.7) + 2))
    above = pack(history, Policy(window=int(tokens / 0.7) - 2))
    assert below.want is None
    assert above.want is not None
    assert (above.want.reason, above.want.upto) == ("window", len(history.events))


def test_wanted_by_hand_with_the_users_instructions_appended() -> None:
    history = with_more(
        turns(3), Event(0, "wish", text="Keep the SQL."), Event(0, "user", text="?")
    )
    want = pack(history, Policy(instructions="In German.")).want
    assert want is not None
    assert (want.reason, want.upto) == ("hand", len(turns(3).events))
    assert want.prompt.endswith(
        "The user's own instructions for this summary:\nIn German.\nKeep the SQL."
    )
    assert all(f"\n{n}. " in want.prompt for n in range(1, 10))
    assert "10. " not in want.prompt
    assert "history/s.md" in want.prompt
    assert "<analysis>" in want.prompt
    text = "short"
    done = with_more(history, Event(0, "summary", text=text, upto=want.upto))
    assert pack(done).want is None


@pytest.mark.parametrize(
    ("size", "gap", "is_wanted"),
    [(2000, 400, False), (20_000, 400, True), (20_000, 10, False), (200_000, 10, True)],
)
def test_wanted_on_a_new_topic_if_the_history_is_worth_it(
    size: int, gap: int, is_wanted: bool
) -> None:
    """More than 3K tokens, or more than 30K while the cache is warm."""
    before = turns(1, size)
    at = before.events[-1].at + gap
    history = with_more(before, Event(0, "user", at, "now cook"), Event(0, "topic", at))
    want = pack(history).want
    assert (want is not None) == is_wanted
    assert want is None or (want.reason, want.upto) == ("topic", len(before.events))


def test_never_cut_between_a_call_and_its_result() -> None:
    history = with_more(turns(3), Event(0, "call", tool="t", call="open"))
    want = pack(history, Policy(window=10)).want
    assert want is not None
    assert want.upto == len(turns(3).events)
    assert "cut behind" in refused(history, "short", len(history.events))
    given_up = with_more(history, Event(0, "user", text="go on"))
    assert accepted(given_up, "short", len(given_up.events), Policy()) == "short"


def test_the_analysis_is_thrown_away() -> None:
    assert stripped("<analysis>long</analysis>\n<summary>\n1. all\n</summary> bye") == "1. all"
    assert stripped("<analysis>never closed <summary>kept") == "kept"
    assert stripped("no tags") == "no tags"
    assert stripped("<analysis>only this") == ""


def test_bad_summaries_are_refused() -> None:
    history = turns(3)
    upto = len(history.events)
    assert refused(history, "<analysis>x</analysis>", upto) == "the summary is empty"
    assert "must be shorter" in refused(history, "x" * 3000, upto)
    assert "cut behind" in refused(history, "short", upto + 1)
    assert "cut behind" in refused(history, "short", 0)
    once = with_more(history, Event(0, "summary", text="short", upto=upto))
    assert "has a summary" in refused(once, "again", upto)


def test_after_a_summary() -> None:
    history = turns(6, 2000)
    skill = Event(0, "skill", text="Always lint.", path="lint", fixed=True)
    history = with_more(history, skill)
    upto = len(history.events)
    done = with_more(
        history, Event(0, "summary", text="All was done.", upto=upto), Event(0, "user", text="and?")
    )
    made = pack(done)
    assert [m.kind for m in made.messages] == ["system", "skill", "summary", "user"]
    summary = made.messages[2].text
    assert "All was done." in summary
    assert "history/s.md" in summary
    assert f"#{upto}" in summary
    assert made.breakpoints == (0, 2, 3)
    longer = with_more(done, Event(0, "assistant", text="that is all"))
    assert pack(longer).messages[:4] == made.messages


def test_a_second_summary_replaces_the_first() -> None:
    once = with_more(turns(3, 4000), Event(0, "summary", text="first", upto=10))
    more = with_more(
        once, *(Event(0, "user", text="u" * 400), Event(0, "assistant", text="a" * 400))
    )
    twice = with_more(more, Event(0, "summary", text="second", upto=len(more.events)))
    texts = [m.text for m in pack(twice).messages]
    assert len(texts) == 2
    assert "second" in texts[1]


def test_the_text_to_tell_a_topic_by() -> None:
    said = (Event(0, "assistant", text="first"), Event(0, "assistant", text="last"))
    history = with_more(turns(4), *said, Event(0, "user", text="turn 5"))
    rounds = "user: turn 3", "user: turn 4", "assistant: last", "user: turn 5"
    assert topic_text(history, Policy()) == "\n\n".join(rounds)
    assert topic_text(History("s", []), Policy()) == ""
