"""A prompt in the form of the providers: turns, cache marks, the choice of tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from understudy.context.messages import PromptMessage
from understudy.context.pack import Pack
from understudy.context.providers.model import Model
from understudy.values.frozen import frozen

Table = dict[str, Any]
_NO_RESULT = "[understudy] this call has no result"
_NO_WORDS = "[understudy] no words"


@frozen
class WireRequest:
    """`body` is what the request has of the prompt; `unmet` is what this model cannot be told."""

    body: Mapping[str, Any]
    unmet: tuple[str, ...]


@frozen
class _Turn:
    """Messages of one side that stand together, each call with its results behind the turn."""

    side: str
    parts: tuple[tuple[int, PromptMessage], ...]


def rendered(pack: Pack, model: Model) -> WireRequest:
    """The request's body for a model, but for its name and limits."""
    unmet: list[str] = []
    mode, allowed = _choice(pack, model, unmet)
    if model.wire == "anthropic":
        return WireRequest(_anthropic(pack, model, mode, allowed, unmet), tuple(unmet))
    if model.wire == "gemini":
        return WireRequest(_gemini(pack, mode, allowed), tuple(unmet))
    return WireRequest(_openai(pack, model, mode, allowed), tuple(unmet))


def _choice(pack: Pack, model: Model, unmet: list[str]) -> tuple[str, list[str] | None]:
    """The mode, and the names of the tools that may be chosen: None where all may."""
    names = [str(tool["name"]) for tool in pack.tools]
    fitting = [name for name in names if name.startswith(pack.prefixes)]
    allowed = fitting if pack.prefixes and fitting != names else None
    mode = pack.mode
    if allowed is not None and not allowed:
        unmet.append(f"no tool begins with {', '.join(pack.prefixes)}")
        allowed = None
    if mode not in model.choices:
        unmet.append(f"mode {mode}")
        mode = "auto"
    return mode, allowed


def _turns(messages: Iterable[tuple[int, PromptMessage]]) -> Iterator[_Turn]:
    """The prompt without its system part, as turns of the model and of the other side."""
    parts: list[tuple[int, PromptMessage]] = []
    side = ""
    for index, message in messages:
        mine = "model" if message.role == "assistant" else "user"
        if mine != side and parts:
            yield _Turn(side, tuple(parts))
            parts = []
        side = mine
        parts.append((index, message))
    if parts:
        yield _Turn(side, tuple(parts))


@frozen
class _Laid:
    """The turns; the calls that have results in the turn behind them, and those that have none."""

    system: tuple[tuple[int, PromptMessage], ...]
    turns: tuple[_Turn, ...]

    def calls_before(self, at: int) -> dict[str, str]:
        """Of the turn before: each call and its tool."""
        if at == 0 or self.turns[at - 1].side != "model":
            return {}
        found = (message for _, message in self.turns[at - 1].parts if message.kind == "call")
        return {message.call: message.tool for message in found}

    def unanswered(self, at: int) -> dict[str, str]:
        """Calls of the turn before that this turn, or no turn, answers."""
        said = {m.call for _, m in self.turns[at].parts} if at < len(self.turns) else set[str]()
        return {call: tool for call, tool in self.calls_before(at).items() if call not in said}


def _laid(pack: Pack) -> _Laid:
    numbered = list(enumerate(pack.messages))
    system = tuple(one for one in numbered if one[1].role == "system")
    turns = tuple(_turns(one for one in numbered if one[1].role != "system"))
    if turns and any(m.kind == "call" for _, m in turns[-1].parts):
        turns = (*turns, _Turn("user", ()))  # calls that wait: what comes next answers them
    return _Laid(system, turns)


def _input(text: str) -> Table:
    """A call's input as a table; one that has left for a file says where it is."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        return {"input": text}
    return cast("Table", raw) if isinstance(raw, dict) else {"input": raw}


# -- Anthropic ------------------------------------------------------------------------------------


def _anthropic(
    pack: Pack, model: Model, mode: str, allowed: list[str] | None, unmet: list[str]
) -> Table:
    laid = _laid(pack)
    marks = _marks(pack, model)
    words = (_marked({"type": "text", "text": m.text}, i in marks) for i, m in laid.system)
    system = _with_words(words, [])
    before = system
    messages: list[Table] = []
    for at, turn in enumerate(laid.turns):
        role = "assistant" if turn.side == "model" else "user"
        calls = laid.calls_before(at)
        first: list[Table] = [
            {"type": "tool_result", "tool_use_id": call, "content": _NO_RESULT}
            for call in (laid.unanswered(at) if turn.side == "user" else ())
        ]
        blocks = [_marked(_block(message, calls), index in marks) for index, message in turn.parts]
        # Results stand in front of words: a provider takes them nowhere else.
        results = [block for block in blocks if block["type"] == "tool_result"]
        others = [block for block in blocks if block["type"] != "tool_result"]
        content = [*results, *first, *others]
        if all(block["type"] == "text" and not block["text"].strip() for block in content):
            content = [{**block, "text": _NO_WORDS} for block in content[-1:]]
        before = _with_words(content, before)
        messages.append({"role": role, "content": before})
    tools = [
        {
            "name": tool["name"],
            "description": tool.get("description", ""),
            "input_schema": tool.get("inputSchema", {"type": "object"}),
        }
        for tool in pack.tools
    ]
    choice: Table = {"type": {"auto": "auto", "none": "none"}.get(mode, "any")}
    if allowed is not None and mode in ("required", "specified") and len(allowed) == 1:
        choice = {"type": "tool", "name": allowed[0]}
    elif allowed is not None and mode != "none":
        unmet.append(f"only {', '.join(allowed)}")
    body: Table = {"system": system, "messages": messages}
    return {**body, "tools": tools, "tool_choice": choice} if tools else body


def _block(message: PromptMessage, calls: Mapping[str, str]) -> Table:
    if message.kind == "call":
        table = {"id": message.call, "name": message.tool, "input": _input(message.text)}
        return {"type": "tool_use", **table}
    if message.role == "tool" and message.call in calls:
        return {"type": "tool_result", "tool_use_id": message.call, "content": message.text}
    return {"type": "text", "text": message.text}


def _with_words(blocks: Iterable[Table], before: list[Table]) -> list[Table]:
    """The blocks without blank texts, which Anthropic refuses.

    The cache mark of one goes to the block before it: of these, or the last one of `before`.
    """
    kept: list[Table] = []
    for block in blocks:
        if block["type"] != "text" or block["text"].strip():
            kept.append(block)
        elif "cache_control" in block and (behind := kept or before):
            behind[-1] = {**behind[-1], "cache_control": block["cache_control"]}
    return kept


def _marks(pack: Pack, model: Model) -> set[int]:
    """The messages that a cache mark stands behind: the last ones, none of too short a prefix."""
    found: list[int] = []
    tokens = 0
    for index, message in enumerate(pack.messages):
        tokens += message.tokens
        if index in pack.breakpoints and tokens >= model.smallest:
            found.append(index)
    return set(found[len(found) - model.breakpoints :] if model.breakpoints else ())


def _marked(block: Table, is_marked: bool) -> Table:
    return {**block, "cache_control": {"type": "ephemeral"}} if is_marked else block


# -- OpenAI, and what speaks like it --------------------------------------------------------------


def _openai(pack: Pack, model: Model, mode: str, allowed: list[str] | None) -> Table:
    laid = _laid(pack)
    messages: list[Table] = [{"role": "system", "content": m.text} for _, m in laid.system]
    for at, turn in enumerate(laid.turns):
        if turn.side == "model":
            messages.append(_spoken(turn))
            messages += (
                {"role": "tool", "tool_call_id": call, "content": _NO_RESULT}
                for call in laid.unanswered(at + 1)
            )
            continue
        calls = laid.calls_before(at)
        answers = [m for _, m in turn.parts if m.role == "tool" and m.call in calls]
        messages += ({"role": "tool", "tool_call_id": m.call, "content": m.text} for m in answers)
        words = [m.text for _, m in turn.parts if m not in answers]
        messages += ({"role": "user", "content": text} for text in words)
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parameters": tool.get("inputSchema", {"type": "object"}),
            },
        }
        for tool in pack.tools
    ]
    body: Table = {"messages": messages}
    if tools:
        body |= {"tools": tools, "tool_choice": _openai_choice(mode, allowed)}
    if model.key:
        body["prompt_cache_key"] = pack.key
    if model.prefill and mode != "none":
        body["prefill"] = _prefill(pack, mode)
    return body


def _spoken(turn: _Turn) -> Table:
    text = "\n".join(m.text for _, m in turn.parts if m.kind != "call")
    calls = [
        {"id": m.call, "type": "function", "function": {"name": m.tool, "arguments": m.text}}
        for _, m in turn.parts
        if m.kind == "call"
    ]
    return {"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {})


def _openai_choice(mode: str, allowed: list[str] | None) -> object:
    word = "required" if mode == "specified" else mode
    if allowed is None or mode == "none":
        return word
    tools = [{"type": "function", "function": {"name": name}} for name in allowed]
    if len(tools) == 1 and word == "required":
        return tools[0]
    return {"type": "allowed_tools", "allowed_tools": {"mode": word, "tools": tools}}


def _prefill(pack: Pack, mode: str) -> str:
    """How an answer begins that a self-hosted model is made to give, in the Hermes form."""
    if mode == "auto":
        return ""
    if mode == "specified" and len(pack.prefixes) == 1:
        return f'<tool_call>\n{{"name": "{pack.prefixes[0]}'
    return "<tool_call>\n"


# -- Gemini ---------------------------------------------------------------------------------------


def _gemini(pack: Pack, mode: str, allowed: list[str] | None) -> Table:
    laid = _laid(pack)
    contents: list[Table] = []
    for at, turn in enumerate(laid.turns):
        calls = laid.calls_before(at)
        missing = laid.unanswered(at) if turn.side == "user" else {}
        parts = [_answered(tool, _NO_RESULT) for tool in missing.values()]
        parts += [_part(message, calls) for _, message in turn.parts]
        contents.append({"role": turn.side, "parts": parts})
    body: Table = {"contents": contents}
    if laid.system:
        body["systemInstruction"] = {"parts": [{"text": m.text} for _, m in laid.system]}
    if pack.tools:
        declared = [
            {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "parametersJsonSchema": tool.get("inputSchema", {"type": "object"}),
            }
            for tool in pack.tools
        ]
        word = {"auto": "AUTO", "none": "NONE"}.get(mode, "ANY")
        config: Table = {"mode": word}
        if allowed is not None and word == "ANY":
            config["allowedFunctionNames"] = allowed
        body |= {
            "tools": [{"functionDeclarations": declared}],
            "toolConfig": {"functionCallingConfig": config},
        }
    return body


def _part(message: PromptMessage, calls: Mapping[str, str]) -> Table:
    if message.kind == "call":
        return {"functionCall": {"name": message.tool, "args": _input(message.text)}}
    if message.role == "tool" and message.call in calls:
        return _answered(calls[message.call], message.text)
    return {"text": message.text}


def _answered(tool: str, text: str) -> Table:
    return {"functionResponse": {"name": tool, "response": {"output": text}}}
