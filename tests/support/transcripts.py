"""Transcripts as each client wrote them, when a scripted model drove it; long texts are cut."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

DATA = Path(__file__).parent.parent / "data" / "transcripts"
PLACES = {
    "claude": ".claude/projects/-work/{}.jsonl",
    "codex": ".codex/sessions/2026/11/25/rollout-2026-11-25T23-54-23-{}.jsonl",
    "copilot": ".copilot/session-state/{}/events.jsonl",
    "gemini": ".gemini/tmp/work/chats/session-{}.jsonl",
    "qwen": ".qwen/projects/-work/chats/{}.jsonl",
}


def write(home: Path, agent: str, folder: Path, session: str = "s1") -> Path:
    """A kept transcript as the client would have written it for that folder."""
    text = (DATA / f"{agent}.jsonl").read_text().replace("/FOLDER", str(folder))
    if agent == "gemini":
        first, _, rest = text.partition("\n")
        about = json.loads(first) | {
            "projectHash": hashlib.sha256(str(folder).encode()).hexdigest()
        }
        text = f"{json.dumps(about)}\n{rest}"
    path = home / PLACES[agent].format(session)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
