"""How each agent is started here: with a scripted model, on loopback, from an empty home."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.model import Call, Filling, Scripted, ScriptedModel, Step, scripted_model
from tests.support.servers import search_path
from tools.provision import cache_folder, installed, locked
from understudy.values import toml

PINS: Mapping[str, dict[str, Any]] = toml.loads(
    Path(__file__).with_name("agents.toml").read_text("utf-8")
)
PROMPT = "please do the work"
_SECONDS = 240


@dataclass(frozen=True)
class Client:
    """One agent: `edit` is its tool's call that replaces a text, `run` the one that runs a script.

    `{port}` is the model's.
    """

    argv: tuple[str, ...]
    environ: Mapping[str, str]
    edit: Callable[[Path, str, str], Call]
    read: Callable[[Path], Call]
    run: Callable[[str], Call]
    home: Mapping[str, str] = field(default_factory=dict[str, str])


def _patch(path: Path, old: str, new: str) -> Call:
    text = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"
    return "apply_patch", text


CLIENTS: Mapping[str, Client] = {
    "claude": Client(
        ("claude", "-p", PROMPT, "--model", "claude-sonnet-4-5", "--dangerously-skip-permissions"),
        {
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:{port}",
            "ANTHROPIC_API_KEY": "sk-ant-x",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000",
            "IS_SANDBOX": "1",
        },
        lambda path, old, new: (
            "Edit",
            {"file_path": str(path), "old_string": old, "new_string": new},
        ),
        lambda path: ("Read", {"file_path": str(path)}),
        lambda script: ("Bash", {"command": script, "description": "x"}),
    ),
    "codex": Client(
        ("codex", "exec", "--dangerously-bypass-hook-trust", PROMPT),
        {"MOCK_KEY": "x"},
        _patch,
        lambda path: ("exec_command", {"cmd": f"cat {path}"}),
        lambda script: ("exec_command", {"cmd": script}),
        {
            ".codex/config.toml": (
                'model = "gpt-5.5"\nmodel_provider = "mock"\napproval_policy = "never"\n'
                'sandbox_mode = "danger-full-access"\nmodel_auto_compact_token_limit = 100000\n'
                "[analytics]\nenabled = false\n"
                '[model_providers.mock]\nname = "mock"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
                'env_key = "MOCK_KEY"\nwire_api = "responses"\n'
                '[projects."{folder}"]\ntrust_level = "trusted"\n'
            )
        },
    ),
    "gemini": Client(
        ("gemini", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", PROMPT),
        {
            "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:{port}",
            "GEMINI_API_KEY": "x",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        lambda path, old, new: (
            "replace",
            {"file_path": str(path), "instruction": "x", "old_string": old, "new_string": new},
        ),
        lambda path: ("read_file", {"file_path": str(path)}),
        lambda script: ("run_shell_command", {"command": script}),
        {
            ".gemini/settings.json": json.dumps(
                {
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": False},
                    "general": {"enableAutoUpdate": False},
                }
            )
        },
    ),
    "qwen": Client(
        ("qwen", "--auth-type", "openai", "--approval-mode", "yolo", "-p", PROMPT),
        {
            "OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1",
            "OPENAI_API_KEY": "x",
            "OPENAI_MODEL": "mock",
        },
        lambda path, old, new: (
            "edit",
            {"file_path": str(path), "old_string": old, "new_string": new},
        ),
        lambda path: ("read_file", {"file_path": str(path)}),
        lambda script: ("run_shell_command", {"command": script, "is_background": False}),
        {
            ".qwen/settings.json": json.dumps(
                {"privacy": {"usageStatisticsEnabled": False}, "disableAutoUpdate": True}
            )
        },
    ),
    "copilot": Client(
        ("copilot", "-p", PROMPT, "--allow-all-tools"),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:{port}/v1",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_API_KEY": "x",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_AUTO_UPDATE": "false",
            "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true",
            "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP": "true",
        },
        lambda path, old, new: ("edit", {"path": str(path), "old_str": old, "new_str": new}),
        lambda path: ("view", {"path": str(path)}),
        lambda script: (
            "bash",
            {"command": script, "description": "x", "mode": "sync", "initial_wait": 60},
        ),
    ),
    "opencode": Client(
        ("opencode", "run", PROMPT, "--model", "mock/mock"),
        {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        },
        lambda path, old, new: (
            "edit",
            {"filePath": str(path), "oldString": old, "newString": new},
        ),
        lambda path: ("read", {"filePath": str(path)}),
        lambda script: ("bash", {"command": script, "description": "x"}),
        {
            ".config/opencode/opencode.jsonc": json.dumps(
                {
                    "provider": {
                        "mock": {
                            "npm": "@ai-sdk/openai-compatible",
                            "name": "mock",
                            "options": {"baseURL": "http://127.0.0.1:{port}/v1", "apiKey": "x"},
                            "models": {
                                "mock": {
                                    "name": "mock",
                                    "limit": {"context": 100000, "output": 4000},
                                }
                            },
                        }
                    },
                    "autoupdate": False,
                    "share": "disabled",
                }
            )
        },
    ),
}


def is_heavy(name: str) -> bool:
    """Whether it is too large to be installed for every run of the tests."""
    return bool(PINS[name].get("heavy"))


def program_of(name: str) -> Path:
    """The agent's program in its pinned version, installed if it is not there yet."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "lock"):
        path = os.pathsep.join((search_path(), os.environ["PATH"]))
        return installed(f"agent-{name}", PINS[name], cache, path) / name


def environment_of(name: str, home: Path, state: Path) -> dict[str, str]:
    """What the agent and we find around us: nothing of the user's who runs the tests."""
    own = Path(sys.executable).parent
    kept = (program_of(name).parent, own, search_path(), os.environ["PATH"])
    return {
        "PATH": os.pathsep.join(map(str, kept)),
        "HOME": str(home),
        "TMPDIR": str(state),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "NO_PROXY": "127.0.0.1,localhost",
        "UNDERSTUDY_STATE_DIR": str(state / "understudy"),
        "UNDERSTUDY_CACHE_DIR": str(state / "cache"),
    }


def drive(
    name: str,
    folder: Path,
    environ: Mapping[str, str],
    steps: Sequence[Scripted],
    before: Sequence[str] = (),
    summary: Step | Filling = "ok",
) -> tuple[ScriptedModel, str]:
    """Have the agent work through a script in a folder; the model, and what the agent printed.

    `before` is what starts it, if it is not started by itself.
    Raises AssertionError where the agent does not end well.
    """
    client = CLIENTS[name]
    with scripted_model(steps, summary) as model:

        def filled(text: str) -> str:
            return text.replace("{port}", str(model.port)).replace("{folder}", str(folder))

        for path, text in client.home.items():
            file = Path(environ["HOME"]) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(filled(text))
        given = {key: filled(value) for key, value in client.environ.items()}
        done = subprocess.run(
            [*map(filled, before), *client.argv], cwd=folder, env={**environ, **given},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return model, done.stdout


def understudy(environ: Mapping[str, str]) -> str:
    """Our own program as the agent finds it."""
    found = shutil.which("understudy", path=environ["PATH"])
    assert found is not None
    return found
