"""Prompts in the providers' forms, the choice of tools, and the table of models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from understudy.context.events import Event, History
from understudy.context.pack import pack
from understudy.context.policy import policy_of
from understudy.context.providers.wire import WireRequest, rendered
from understudy.context.states import choice_of
from understudy.values.errors import BadInput
from understudy.workspace.agents import models
from understudy.workspace.agents.models import model_named, model_rows, policy_for

TOOLS = (
    {"name": "shell_run", "description": "Run.", "inputSchema": {"type": "object"}},
    {"name": "browser_open", "description": "Open.", "inputSchema": {"type": "object"}},
    {"name": "browser_click", "description": "Click."},
)


def session(*more: Event) -> History:
    """Two calls at once, one of which is never answered, then words of the user's."""
    made = [
        Event(0, "tools", definitions=TOOLS),
        Event(0, "system", text="You are. " * 600),
        Event(0, "user", text="go"),
        Event(0, "assistant", text="I look."),
        Event(0, "call", text='{"cmd":"ls"}', tool="shell_run", call="c1"),
        Event(0, "call", text="[understudy] 900 bytes: tool/a.txt", tool="shell_run", call="c2"),
        Event(0, "result", text="a.py", tool="shell_run", call="c1"),
        Event(0, "user", text="stop"),
        Event(0, "assistant", text="Yes."),
        Event(0, "call", text="{}", tool="browser_open", call="c3"),
        Event(0, "result", text="ok", tool="browser_open", call="c3"),
        *more,
    ]
    return History("s", [replace(event, seq=n) for n, event in enumerate(made, 1)])


def request(model: str, *more: Event) -> WireRequest:
    return rendered(pack(session(*more)), model_named(model))


def test_anthropic() -> None:
    body: dict[str, Any] = dict(request("claude-sonnet-5").body)
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body["system"] == [{"type": "text", "text": "You are. " * 600, **mark}]
    assert [message["role"] for message in body["messages"]] == [
        "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    first = body["messages"][1]["content"]
    assert [block["type"] for block in first] == ["text", "tool_use", "tool_use"]
    assert first[1]["input"] == {"cmd": "ls"}
    assert first[2]["input"] == {"input": "[understudy] 900 bytes: tool/a.txt"}
    answers = body["messages"][2]["content"]
    assert [(b["type"], b.get("tool_use_id")) for b in answers] == [
        ("tool_result", "c1"), ("tool_result", "c2"), ("text", None),
    ]  # fmt: skip
    assert body["messages"][-1]["content"][-1] == {
        "type": "tool_result", "tool_use_id": "c3", "content": "ok", **mark,
    }  # fmt: skip
    assert body["tool_choice"] == {"type": "auto"}


def test_anthropic_is_sent_no_blank_text() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    blank = Event(0, "user", text=" \n")
    body: dict[str, Any] = dict(request("claude-sonnet-5", blank).body)
    assert body["messages"][-1]["content"] == [
        {"type": "tool_result", "tool_use_id": "c3", "content": "ok", **mark}
    ]
    said = Event(0, "assistant", text="Done. " * 600)
    body = dict(request("claude-sonnet-5", blank, said, blank).body)
    assert body["messages"][-2:] == [
        {"role": "assistant", "content": [{"type": "text", "text": said.text}]},
        {"role": "user", "content": [{"type": "text", "text": "[understudy] no words", **mark}]},
    ]
    empty = (Event(0, "system", text=""), Event(0, "user"), Event(0, "assistant", text="Yes."))
    made = History("s", [replace(event, seq=n) for n, event in enumerate(empty, 1)])
    body = dict(rendered(pack(made), model_named("claude-sonnet-5")).body)
    texts = [block["text"] for message in body["messages"] for block in message["content"]]
    assert (body["system"], texts) == ([], ["[understudy] no words", "Yes."])


def test_openai_and_gemini() -> None:
    body: dict[str, Any] = dict(request("gpt-5.2").body)
    assert [message["role"] for message in body["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "user", "assistant", "tool",
    ]  # fmt: skip
    ids = [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"]
    assert sorted(ids) == ["c1", "c2", "c3"]
    assert body["prompt_cache_key"] == pack(session()).key
    gemini: dict[str, Any] = dict(request("gemini-2.5-pro").body)
    parts = gemini["contents"][2]["parts"]
    assert [next(iter(part)) for part in parts] == [
        "functionResponse", "functionResponse", "text",
    ]  # fmt: skip
    assert gemini["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}


def test_what_may_be_chosen_in_each_form() -> None:
    only = Event(0, "availability", mode="required", names=("browser_",))
    one = Event(0, "availability", mode="specified", names=("shell_",))
    words = Event(0, "availability", mode="none")
    assert request("claude-sonnet-5", only).unmet == ("only browser_open, browser_click",)
    assert request("claude-sonnet-5", one).body["tool_choice"] == {
        "type": "tool", "name": "shell_run",
    }  # fmt: skip
    assert request("claude-sonnet-5", words).body["tool_choice"] == {"type": "none"}
    allowed = request("gpt-5", only).body["tool_choice"]["allowed_tools"]
    assert [tool["function"]["name"] for tool in allowed["tools"]] == [
        "browser_open", "browser_click",
    ]  # fmt: skip
    assert request("gpt-5", words).body["tool_choice"] == "none"
    assert request("gemini-3-pro", only).body["toolConfig"] == {
        "functionCallingConfig": {
            "mode": "ANY", "allowedFunctionNames": ["browser_open", "browser_click"],
        }
    }  # fmt: skip
    assert request("vllm/some", only).unmet == ("mode required",)
    assert request("mistral-large", one).body["prefill"] == '<tool_call>\n{"name": "shell_'
    nobody = Event(0, "availability", mode="required", names=("nobody_",))
    assert request("gpt-5", nobody).unmet == ("no tool begins with nobody_",)
    for name in ("claude-x", "gpt-5", "gemini-x"):
        tools = request(name).body["tools"]
        assert tools == request(name, only).body["tools"], "the list stays, for the cache"


def test_a_table_of_states_runs_by_itself() -> None:
    rows = (
        {"on": "user", "to": "plan", "mode": "none", "prefixes": (), "tool": "", "failed": None,
         "state": None},
        {"on": "result", "to": "mend", "mode": "required", "prefixes": ("shell_",),
         "tool": "shell_", "failed": True, "state": None},
        {"on": "result", "to": "work", "mode": "auto", "prefixes": (), "tool": "",
         "failed": False, "state": "mend"},
    )  # fmt: skip
    table = Event(1, "states", definitions=rows)
    user = Event(2, "user", text="go")
    failed = Event(3, "result", tool="shell_run", exit=1)
    passed = Event(4, "result", tool="shell_run", exit=0)
    assert choice_of([user]).mode == "auto"
    assert (choice_of([table, user]).mode, choice_of([table, user]).state) == ("none", "plan")
    mend = choice_of([table, user, failed])
    assert (mend.mode, mend.prefixes, mend.state) == ("required", ("shell_",), "mend")
    assert choice_of([table, user, passed]).state == "plan", "it was not mending"
    assert choice_of([table, user, failed, passed]).state == "work"
    by_hand = Event(5, "availability", mode="auto", names=("browser_",))
    assert choice_of([table, user, failed, by_hand]).prefixes == ("browser_",)
    assert choice_of([table, user, failed, by_hand, user]).state == "plan"


def test_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "models.toml"
    monkeypatch.setattr(models, "users_models", lambda: file)
    careful = model_named("nobody-knows-1")
    assert careful == model_rows()["unknown"]
    assert model_named("claude-haiku-4-5").smallest == 4096, "the longest pattern counts"
    assert policy_for({"model": "claude-sonnet-5"}).read == 0.1
    assert policy_for({"model": "gpt-5", "window": 9000}).window == 9000
    assert policy_for({}).window == policy_of({}).window
    file.write_text('[claude]\nwindow = 1_000_000\n[mine]\nmatch = ["mine-*"]\nread = 0.2\n')
    assert model_named("claude-sonnet-5").window == 1_000_000
    assert (model_named("MINE-2").read, model_named("mine-2").window) == (0.2, careful.window)
    for text, where in (
        ("[claude]\nwindow = -1", "window"), ("[claude]\nnope = 1", "nope"),
        ("claude = 1", "claude"), ("[", "models.toml"), ("[mine]\nread = 3.0", "write"),
    ):  # fmt: skip
        file.write_text(text)
        with pytest.raises(BadInput) as caught:
            model_named("claude-x")
        assert caught.value.code == "bad-setting"
        assert where in str(caught.value)
