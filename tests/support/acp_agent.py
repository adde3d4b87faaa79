"""A small agent of the Agent Client Protocol: it does what a prompt says, a line of JSON a step."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

ids = itertools.count(1000)


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(method: str, params: dict[str, Any]) -> Any:
    number = next(ids)
    say({"id": number, "method": method, "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return message.get("result", message.get("error"))
    raise SystemExit(1)


def work(params: dict[str, Any]) -> None:
    """Each line of the prompt that is JSON is a request; its answer goes out as an update."""
    session = params["sessionId"]
    text = params["prompt"][0]["text"]
    if not text.startswith("[["):  # our own words may begin with a label
        note(session, {"told": text})
        return
    terminal = None
    for method, more in json.loads(text):
        if method == "open":
            note(session, Path(more["path"]).read_text("utf-8"))
            continue
        given = {"sessionId": session, **more}
        if method.startswith("terminal/") and method != "terminal/create":
            given["terminalId"] = terminal
        answer = ask(method, given)
        terminal = (answer or {}).get("terminalId", terminal)
        note(session, answer)


def note(session: str, what: Any) -> None:
    content = {"type": "text", "text": json.dumps(what)}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    say({"method": "session/update", "params": {"sessionId": session, "update": update}})


for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params")
    if method == "initialize":
        answer: Any = {"protocolVersion": 1, "seen": params["clientCapabilities"]}
    elif method == "session/new":
        answer = {"sessionId": "s1", "cwd": params["cwd"]}
    elif method == "session/prompt":
        work(params)
        answer = {"stopReason": "end_turn"}
    else:
        answer = {"echo": params}
    if "id" in message:
        say({"id": message["id"], "result": answer})
