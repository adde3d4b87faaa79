"""A scripted model on loopback, in the wire form of each provider that agents speak to.

It answers the n-th request that offers tools with the n-th step: a text, or calls of tools; what is
asked beside that, a summary for one, has one answer. What was asked is kept: it is all that a model
would have read.
"""

from __future__ import annotations

import http.server
import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

Json = dict[str, Any]
Call = tuple[str, Any]
"""A tool and its input; a bare text is the input of a tool of free form."""
Step = str | list[Call]


@dataclass(frozen=True)
class Filling:
    """A step at which the prompt is so many tokens long by the model's count."""

    step: Step
    tokens: int


Later = Callable[[list[Json]], Step]
"""A step that is made of what was asked so far."""
Scripted = Step | Filling | Later

_TOKENS = 100
_COMPACTS = re.compile(r"detailed summary of|CHECKPOINT COMPACTION|generate the <state_snapshot>")


class ScriptedModel:
    """The script, and what has been asked so far."""

    def __init__(self, steps: Sequence[Scripted], summary: Step | Filling = "ok") -> None:
        self._steps = steps
        self._summary = summary
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self.requests: list[Json] = []
        self.port = 0

    def answer(self, path: str, request: Json) -> tuple[str, str]:
        """The content type and the text of an answer."""
        with self._lock:
            step: Scripted = self._summary
            if request.get("tools") and not is_compaction(request):
                n = len(self.requests)
                step = self._steps[n] if n < len(self._steps) else "Nothing more."
                self.requests.append(request)
                step = step(self.requests) if callable(step) else step
        tokens = step.tokens if isinstance(step, Filling) else _TOKENS
        said = step.step if isinstance(step, Filling) else cast("Step", step)
        for ending, form in _FORMS.items():
            if ending in path:
                return form(said, request, self._ids, "stream" in path, tokens)
        return "application/json", json.dumps({"input_tokens": 10, "totalTokens": 10, "data": []})


@contextmanager
def scripted_model(
    steps: Sequence[Scripted], summary: Step | Filling = "ok"
) -> Iterator[ScriptedModel]:
    """Serve a script on a port of loopback."""
    model = ScriptedModel(steps, summary)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            del format, args

        def do_GET(self) -> None:
            self._send("application/json", '{"object": "list", "data": []}')

        def do_HEAD(self) -> None:
            self._send("application/json", "")

        def do_POST(self) -> None:
            request = cast("Json", json.loads(self._body() or b"{}"))
            self._send(*model.answer(self.path.split("?")[0], request))

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts: list[bytes] = []
            while size := int(self.rfile.readline().strip(), 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = int(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def is_compaction(request: Json) -> bool:
    """Whether a client asks for a summary of all before, be it with its tools."""
    every = request.get("messages") or request.get("contents") or request.get("input") or [""]
    return bool(_COMPACTS.search(json.dumps(every[-1])))


def read_by_model(requests: Sequence[Json]) -> list[str]:
    """Every text that a request added to those before, but the first prompt's and the system's."""
    seen: set[str] = set()
    new: list[str] = []
    for number, request in enumerate(requests):
        for text in _texts(request):
            if text not in seen and number:
                new.append(text)
            seen.add(text)
    return new


def _texts(value: object, key: str = "") -> Iterator[str]:
    """The texts of results, outputs and messages; not what the model itself has called."""
    if isinstance(value, str):
        if key in ("text", "content", "output", "reason"):
            yield value
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _texts(item, key)
    elif isinstance(value, dict):
        table = cast("Json", value)
        if table.get("role") in ("system", "assistant", "model"):
            return
        for name, item in table.items():
            if name not in ("tools", "system", "systemInstruction", "instructions", "input_schema"):
                yield from _texts(item, name)


def _events(events: Sequence[Json]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _chat(step: Step, request: Json, ids: Iterator[int], _: bool, tokens: int) -> tuple[str, str]:
    delta: Json = {"role": "assistant", "content": step if isinstance(step, str) else None}
    if not isinstance(step, str):
        delta["tool_calls"] = [
            {
                "index": index,
                "id": f"call_{next(ids)}",
                "type": "function",
                "function": {"name": tool, "arguments": json.dumps(given)},
            }
            for index, (tool, given) in enumerate(step)
        ]
    end = "stop" if isinstance(step, str) else "tool_calls"
    usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
    base = {"id": "x", "created": 1, "model": request.get("model", "mock")}
    if not request.get("stream"):
        choice = {"index": 0, "message": delta, "finish_reason": end}
        body = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        return "application/json", json.dumps(body)
    base["object"] = "chat.completion.chunk"
    parts = [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {**base, "choices": [], "usage": usage},
    ]
    text = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
    return "text/event-stream", f"{text}data: [DONE]\n\n"


def _anthropic(
    step: Step, request: Json, ids: Iterator[int], _: bool, tokens: int
) -> tuple[str, str]:
    blocks: list[Json] = (
        [{"type": "text", "text": step}]
        if isinstance(step, str)
        else [
            {"type": "tool_use", "id": f"toolu_{next(ids):06d}", "name": tool, "input": given}
            for tool, given in step
        ]
    )
    end = "end_turn" if isinstance(step, str) else "tool_use"
    usage = {"input_tokens": tokens, "output_tokens": 5}
    message: Json = {
        "id": f"msg_{next(ids)}", "type": "message", "role": "assistant", "stop_sequence": None,
        "model": request.get("model", "mock"), "usage": usage,
    }  # fmt: skip
    if not request.get("stream"):
        return "application/json", json.dumps({**message, "content": blocks, "stop_reason": end})
    started = {**message, "content": [], "stop_reason": None}
    events: list[Json] = [{"type": "message_start", "message": started}]
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if is_text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": end, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 5}})
    return "text/event-stream", _events([*events, {"type": "message_stop"}])


def _gemini(
    step: Step, _request: Json, ids: Iterator[int], is_stream: bool, tokens: int
) -> tuple[str, str]:
    parts: list[Json] = (
        [{"text": step}]
        if isinstance(step, str)
        else [
            {"functionCall": {"name": tool, "args": given, "id": f"fc{next(ids)}"}}
            for tool, given in step
        ]
    )
    content = {"role": "model", "parts": parts}
    counts = {
        "promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5,
    }  # fmt: skip
    body = json.dumps(
        {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": counts,
            "modelVersion": "mock",
            "responseId": "r1",
        }
    )
    return (
        ("text/event-stream", f"data: {body}\r\n\r\n") if is_stream else ("application/json", body)
    )


def _responses(
    step: Step, request: Json, ids: Iterator[int], _: bool, tokens: int
) -> tuple[str, str]:
    items: list[Json] = []
    if isinstance(step, str):
        content = [{"type": "output_text", "text": step, "annotations": []}]
        items.append(
            {"type": "message", "id": f"msg_{next(ids)}", "role": "assistant", "content": content}
        )
    for tool, given in () if isinstance(step, str) else step:
        call: Json = {"call_id": f"call_{next(ids)}", "name": tool}
        if isinstance(given, str):
            items.append(
                {"type": "custom_tool_call", "id": f"ctc_{next(ids)}", **call, "input": given}
            )
        else:
            arguments = json.dumps(given)
            items.append(
                {"type": "function_call", "id": f"fc_{next(ids)}", **call, "arguments": arguments}
            )
    usage = {
        "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 5,
    }  # fmt: skip
    answer: Json = {
        "id": f"resp_{next(ids)}", "object": "response", "created_at": 1, "status": "completed",
        "model": request.get("model", "mock"), "output": items, "usage": usage,
    }  # fmt: skip
    started = {**answer, "status": "in_progress", "output": []}
    events: list[Json] = [{"type": "response.created", "response": started}]
    for index, item in enumerate(items):
        done = {**item, "status": "completed"}
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            text = item["content"][0]["text"]
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            events.append({"type": "response.output_text.delta", **place, "delta": text})
        events.append({"type": "response.output_item.done", "output_index": index, "item": done})
    return "text/event-stream", _events(
        [*events, {"type": "response.completed", "response": answer}]
    )


_FORMS = {
    "/chat/completions": _chat,
    "/responses": _responses,
    "/messages": _anthropic,
    "enerateContent": _gemini,
}
