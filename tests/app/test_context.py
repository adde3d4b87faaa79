"""The context verbs together: what a harness gives comes back, in files and in prompts."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.histories import entries_of, history_of
from understudy.app.context.pack import pack_log, pack_upto
from understudy.app.context.record import Recorded, record
from understudy.app.context.search import SearchQuestion, search_context
from understudy.app.context.simulate import simulate_log
from understudy.app.context.stats import log_stats
from understudy.context.events import Event
from understudy.context.excerpt import ExcerptPart, excerpt
from understudy.context.pack import pack
from understudy.context.policy import DEFAULT, Policy
from understudy.context.simulate import Prices
from understudy.context.skill_index import SkillIndex
from understudy.values.errors import BadInput
from understudy.workspace.context_place import ContextPlace
from understudy.workspace.workers import Workers

BATCH = Policy(rule="batch")


@pytest.fixture
def place(tmp_path: Path) -> ContextPlace:
    return ContextPlace(tmp_path / "context", tmp_path / "user")


def add(place: ContextPlace, *entries: dict[str, object], policy: Policy = BATCH) -> Recorded:
    return record(place, "s", entries, policy)


def restored(place: ContextPlace, event: Event) -> bytes:
    if event.ref:
        return place.store.get(event.ref, event.sha256)
    return event.text.encode("utf-8", "surrogatepass")


OUTPUTS = st.one_of(
    st.binary(max_size=9000),
    st.text(st.characters(codec=None), max_size=6000),
    st.lists(st.sampled_from(["a\r\n", "\r", "error: x\n", "\0", "ä" * 900, ""])).map("".join),
)


@settings(deadline=None, max_examples=40)
@given(st.lists(OUTPUTS, max_size=6), st.integers(1, 5000))
def test_every_output_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, outputs: list[bytes | str], ingest: int
) -> None:
    folder = tmp_path_factory.mktemp("c")
    place = ContextPlace(folder, folder / "user")
    entries: list[dict[str, object]] = [{"kind": "user", "text": "go"}]
    exact: list[bytes] = []
    for number, output in enumerate(outputs):
        entry: dict[str, object] = {"kind": "result", "tool": "t", "call": f"{number}"}
        if isinstance(output, bytes):
            entry["base64"] = base64.b64encode(output).decode()
            exact.append(output)
        else:
            entry["text"] = json.loads(json.dumps(output))
            exact.append(output.encode("utf-8", "surrogatepass"))
        entries.append(entry)
    policy = Policy(rule="batch", ingest=ingest, unit="step", keep=1, batch=1)
    add(place, *entries, policy=policy)
    add(place, {"kind": "assistant", "text": "1"}, {"kind": "user", "text": "x"}, policy=policy)
    pack_log(place, "s", policy, 0)
    history = ContextPlace(place.store.folder, place.user_store.folder).log("s").read()
    left = {item.seq: item for event in history.events for item in event.items}
    results = [event for event in history.events if event.kind == "result"]
    shown = [history.events[event.upto - 1] if event.form else event for event in results]
    assert [restored(place, event) for event in shown] == exact
    for event in results:
        if event.seq in left:
            item = left[event.seq]
            assert place.store.get(item.ref, item.sha256) == exact[results.index(event)]


def test_long_results_are_receipts_before_they_are_ever_sent(place: ContextPlace) -> None:
    long = "".join(f"line {n}\n" for n in range(900)) + "Error: no\n"
    made = add(
        place,
        {"kind": "result", "tool": "make", "call": "1", "text": long, "exit": 2},
        {"kind": "result", "tool": "make", "call": "2", "text": "x" * 4096},
    )
    long_one, short_one = made.events
    assert long_one.text.startswith(f"[understudy] {len(long)} bytes, 901 lines, exit status 2; ")
    assert "901| Error: no" in long_one.text
    assert short_one.text == "x" * 4096
    (again,) = add(
        place,
        {"kind": "result", "tool": "cat", "call": "3", "text": long, "source": long_one.ref},
    ).events
    assert (again.text, again.ref, again.path) == (long, "", long_one.ref), "else it is stored anew"


def test_where_nothing_can_be_stored_the_text_itself_stays(place: ContextPlace) -> None:
    place.store.folder.mkdir(parents=True)
    (place.store.folder / "tool").write_text("in the way")
    made = add(place, {"kind": "result", "tool": "cat", "call": "c", "text": "z" * 9000})
    assert [failure.code for failure in made.failures] == ["state-unwritable"]
    assert (made.events[0].text, made.events[0].ref) == ("z" * 9000, "")
    assert pack_log(place, "s", BATCH, 0).pack.messages[-1].text == "z" * 9000


def test_long_inputs_leave_too_and_can_be_read_again(place: ContextPlace) -> None:
    for number in range(10):
        call = {"tool": "write", "call": f"{number}"}
        add(
            place,
            {"kind": "user", "text": "more"},
            {"kind": "call", **call, "input": f"{number}" * 3000},
            {"kind": "result", **call, "text": "ok"},
        )
    packed = pack_log(place, "s", BATCH, 0)
    events = place.log("s").read().events
    assert [events[item.seq - 1].kind for item in packed.plan.items] == ["call"] * 5
    for number, item in enumerate(packed.plan.items):
        assert place.store.get(item.ref, item.sha256) == f"{number}".encode() * 3000
        assert item.ref in packed.pack.messages[3 * number + 1].text


def test_files_full_once_then_what_the_user_changed(place: ContextPlace) -> None:
    text = "".join(f"value_{n} = {n}\n" for n in range(50))
    changed = text.replace("value_7 = 7", "value_7 = 8")
    edited = changed.replace("value_9", "value_nine")

    def attach(content: str, by: str = "user") -> Event:
        (event,) = add(place, {"kind": "attach", "path": "a.py", "text": content, "by": by}).events
        return event

    assert (attach(text).form, attach(text).form) == ("full", "same")
    diff = attach(changed)
    assert diff.form == "diff"
    assert "-value_7 = 7\n+value_7 = 8\n" in diff.text
    assert attach(edited, "agent").form == "path"
    after = attach(edited.replace("value_1 ", "value_one "))
    assert after.form == "diff"
    assert "value_nine" not in "".join(x for x in after.text.splitlines(True) if x[0] in "+-")
    upto = len(place.log("s").read().events)
    add(place, {"kind": "summary", "text": "short", "upto": upto})
    assert attach(text).form == "full", "what a summary has replaced is not known any more"


def test_a_long_file_without_an_outline_is_a_receipt(place: ContextPlace) -> None:
    text = "".join(f"line {n}\n" for n in range(3001))
    (event,) = add(place, {"kind": "attach", "path": "long.xyz", "text": text}).events
    assert event.form == "receipt"
    assert restored(place, event) == text.encode()
    outlines = {event.sha256: "1-9: def f"}
    (other,) = record(
        place, "t", [{"kind": "attach", "path": "long.py", "text": text}], DEFAULT, outlines
    ).events
    assert (other.form, other.text) == ("outline", "1-9: def f")


def test_a_sub_agent_has_a_log_of_its_own(place: ContextPlace) -> None:
    record(place, "child", [{"kind": "user", "text": "look"}], DEFAULT)
    (event,) = add(
        place, {"kind": "report", "log": "child", "text": "found it", "call": "c"}
    ).events
    assert event.ref == "history/child.md"
    assert event.text.startswith("[understudy] sub-agent child: 1 events, 1 tokens; ")
    assert event.text.endswith("\nfound it")
    (long,) = add(place, {"kind": "report", "log": "child", "text": "x\n" * 9000}).events
    assert len(long.text) < 3000
    assert place.store.get(long.items[0].ref) == b"x\n" * 9000
    for name in ("s", "nobody"):
        with pytest.raises(BadInput):
            add(place, {"kind": "report", "log": name, "text": ""})


def test_a_skill_is_loaded_once(place: ContextPlace) -> None:
    first, again, other = add(
        place,
        {"kind": "skill", "name": "lint", "text": "Always."},
        {"kind": "skill", "name": "lint", "text": "Always."},
        {"kind": "skill", "name": "lint", "text": "Never."},
    ).events
    assert (first.text, other.text) == ("Always.", "Never.")
    assert again.text == "[skill lint is loaded already, at #1]"


BAD = [
    "text", {}, {"kind": "nope"}, {"kind": "user"}, {"kind": "user", "text": 1},
    {"kind": "user", "text": "x", "more": 1}, {"kind": "user", "text": "x", "at": -1},
    {"kind": "result", "tool": "t", "call": "c"},
    {"kind": "result", "tool": "t", "call": "c", "text": "a", "base64": ""},
    {"kind": "result", "tool": "t", "call": "c", "base64": "%"},
    {"kind": "result", "tool": "t", "call": "c", "text": "a", "source": "../x"},
    {"kind": "call", "tool": "t", "call": "c", "input": float("nan")},
    {"kind": "attach", "path": "", "text": ""}, {"kind": "system", "text": "again"},
    {"kind": "tools", "definitions": [1]}, {"kind": "summary", "text": "x", "upto": 99},
    {"kind": "availability", "mode": "sometimes"},
]  # fmt: skip


@pytest.mark.parametrize("entry", BAD)
def test_bad_entries_change_nothing(place: ContextPlace, entry: object) -> None:
    add(place, {"kind": "user", "text": "first"})
    before = place.log("s").file.read_bytes()
    with pytest.raises(BadInput) as caught:
        record(place, "s", [{"kind": "user", "text": "good"}, entry], DEFAULT)
    assert caught.value.code in ("bad-event", "bad-summary")
    assert place.log("s").file.read_bytes() == before


def test_a_session_packs_the_same_after_a_restart(place: ContextPlace) -> None:
    entries = entries_of(history_of(4, 16).events)
    record(place, "s", entries, DEFAULT)
    packed = pack_log(place, "s", DEFAULT, 1_700_100_000)
    assert packed.plan.rule == "cold"
    assert packed.pack.stats.left == len(packed.plan.items)
    other = ContextPlace(place.store.folder, place.user_store.folder)
    assert pack(other.log("s").read()).digest() == packed.pack.digest()
    again = pack_log(other, "s", DEFAULT, 1_700_100_000)
    assert (again.plan.items, again.pack.digest()) == ((), packed.pack.digest())
    seq = len(other.log("s").read().events) - 1
    assert pack_upto(other, "s", DEFAULT, seq).stats.left == 0
    simulated = simulate_log(place, "s", DEFAULT, Prices())
    assert simulated.rules["never"].rewrites == 0
    assert simulated.rules["batch"].tokens < simulated.rules["never"].tokens
    assert simulated.rules["auto"].cost < simulated.rules["never"].cost


def test_outputs_of_a_model_that_costs_nothing_are_shown(place: ContextPlace) -> None:
    text = "x" * 100_000
    output: dict[str, object] = {"kind": "result", "tool": "Read", "call": "c", "text": text}
    assert add(place, output, policy=Policy(read=0, write=0)).events[0].text == text


def test_parts_of_a_text() -> None:
    data = "".join(f"line {n}\n" for n in range(1, 101)).encode()
    assert excerpt(data, ExcerptPart(lines=(99, 200))).text == "99| line 99\n100| line 100\n"
    assert excerpt(data, ExcerptPart(tail=1)).text == "100| line 100\n"
    found = excerpt(data, ExcerptPart(grep="9", budget=30))
    assert (found.text, found.matched, found.left_out) == ("9| line 9\n19| line 19\n", 19, 17)
    assert excerpt(data, ExcerptPart(grep="^line 1$", regex=True)).matched == 1
    assert excerpt(data, ExcerptPart(tail=50, budget=30)).text.endswith("100| line 100\n")
    for part, code in (
        (ExcerptPart(lines=(101, 102)), "no-lines"),
        (ExcerptPart(grep="(", regex=True), "bad-pattern"), (ExcerptPart(grep=""), "bad-pattern"),
    ):  # fmt: skip
        with pytest.raises(BadInput) as caught:
            excerpt(data, part)
        assert caught.value.code == code
    with pytest.raises(BadInput):
        ExcerptPart(lines=(1, 2), tail=3)


async def test_search(place: ContextPlace) -> None:
    add(
        place,
        {"kind": "user", "text": "where is the zebra?"},
        {"kind": "result", "tool": "ls", "call": "1", "text": "a\n" * 3000 + "zebra crossing\n"},
    )
    none, workers = SkillIndex((), ()), Workers()
    try:
        ranked = await search_context(place, workers, none, SearchQuestion("zebra crossing"))
        assert ranked == await search_context(
            place, workers, none, SearchQuestion("zebra crossing")
        )
        assert {hit.path.partition("/")[0] for hit in ranked.hits} == {"tool", "history"}
        assert (ranked.hits[0].line, ranked.hits[0].text) == (3001, "zebra crossing")
        assert {hit.event for hit in ranked.hits} >= {0, 1}
        only = await search_context(
            place, workers, none, SearchQuestion("zebra", kinds=["history"])
        )
        assert {hit.path for hit in only.hits} == {"history/s.md"}
        exact = await search_context(place, workers, none, SearchQuestion("a", grep=True, limit=2))
        assert (len(exact.hits), exact.matched) == (2, 3000 + exact.matched - 3000)
        assert exact.matched >= 3000
        for text in ('"', "AND (", "* NEAR", "zebra*"):
            if any(c.isalnum() for c in text):
                await search_context(place, workers, none, SearchQuestion(text))
        with pytest.raises(BadInput):
            await search_context(place, workers, none, SearchQuestion("()"))
    finally:
        await workers.close()


def test_an_output_that_stands_there_already_is_named(place: ContextPlace) -> None:
    text = "".join(f"value_{n} = {n}\n" for n in range(90))
    call = {"kind": "call", "tool": "read", "input": {"path": "a.py"}}
    result = {"kind": "result", "tool": "read", "text": text}
    made = add(
        place, {**call, "call": "1"}, {**result, "call": "1"},
        {**call, "call": "2"}, {**result, "call": "2"}, policy=DEFAULT,
    ).events  # fmt: skip
    assert made[1].text == text
    assert made[3].text == (
        f"[understudy] the same {len(text)} bytes as an output of read above, which begins with "
        "'value_0 = 0'"
    )
    (other,) = add(place, {**result, "call": "3", "text": f"{text}more"}, policy=DEFAULT).events
    assert other.text == f"{text}more"


def test_files_are_shown_and_long_logs_are_receipts_and_reads_of_receipts_leave(
    place: ContextPlace,
) -> None:
    """The default: what was asked for by name is shown, of what a command prints the telling part;
    what was read from the store leaves again, and is not stored a second time."""
    source = "".join(f"def f_{n}() -> int:\n    return {n}\n" for n in range(250))
    log = "".join(f"test {n} ... ok\n" for n in range(2000)) + "error: no\n"

    def ask(tool: str, call: str, wish: dict[str, object], **result: object) -> Event:
        said = {"kind": "call", "tool": tool, "call": call, "input": wish}
        told = {"kind": "result", "tool": tool, "call": call, **result}
        return add(place, said, told, policy=DEFAULT).events[-1]

    assert ask("read", "1", {"path": "a.py"}, text=source).text == source
    receipt = ask("bash", "2", {"command": "cargo test"}, text=log, exit=1)
    assert receipt.text.startswith("[understudy] ")
    again = ask("cat", "3", {"path": receipt.ref}, text=log, source=receipt.ref)
    assert (again.text, again.path) == (log, receipt.ref)
    for number in range(40):
        ask("bash", f"n{number}", {"command": "git status"}, text=f"{number} files\n")
    packed = pack_log(place, "s", DEFAULT, place.log("s").read().events[-1].at)
    left = {item.seq: item for item in packed.plan.items}
    assert left[again.seq].text == f"[understudy] a part of {receipt.ref} was shown here"
    assert "error: no" in left[receipt.seq].text, "why it failed stays"
    assert left[2].text == f"[understudy] {len(source)} bytes: {left[2].ref}"
    assert place.store.get(left[2].ref) == source.encode()


def test_usage_is_kept_beside_the_estimate_of_its_prompt(place: ContextPlace) -> None:
    add(place, {"kind": "user", "text": "x" * 4000}, {"kind": "assistant", "text": "y"})
    (event,) = add(place, {"kind": "usage", "input": 1800, "cached": 900, "output": 3}).events
    assert event.size == 1000
    assert pack_log(place, "s", DEFAULT, 0).pack.stats.tokens == round(1001 * 1.8)
    for wrong in ({"input": -1}, {"input": 5, "cached": 6}, {}):
        with pytest.raises(BadInput) as caught:
            add(place, {"kind": "usage", **wrong})
        assert caught.value.code == "bad-event"


def test_a_log_of_the_version_before_is_read_and_carried_on(place: ContextPlace) -> None:
    """`history-1.jsonl` has what the version before this one wrote: receipts, offloads, pinned
    reads; its prompt is the one that it made, and new events come behind it."""
    kept = Path(__file__).parent.parent / "data" / "states" / "history-1.jsonl"
    folder = place.store.folder / "history"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(kept.read_bytes())
    history = place.log("s").read()
    made = pack(history, BATCH)
    assert made.digest() == "d28080fb974b723184898f06472595744ed66d20ab555a97f53049e538954e05"
    assert made.mode == "required"
    assert sum(event.fixed for event in history.events) == 1
    states = [{"on": "user", "to": "plan", "mode": "none"}]
    add(place, {"kind": "states", "rows": states}, {"kind": "user", "text": "stop"})
    assert pack(place.log("s").read(), BATCH).mode == "none"
    (stats,) = log_stats(place, None, BATCH)
    assert (stats.outputs, stats.receipts, stats.left, stats.calls) == (5, 1, 3, 5)
    assert stats.saved > stats.lost == 0
