"""What the faces are driven in: a folder of the user's, our state, a child's environment."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.servers import environment
from tests.support.toy_proofs import toy_record, write_proofs

TESTS = Path(__file__).resolve().parent.parent
UNDERSTUDY = (sys.executable, "-m", "understudy")
DEMO_PATCH = TESTS / "data" / "demo.patch"


def copy_demo(folder: Path) -> Path:
    """A copy of the demo project for one test."""
    return Path(shutil.copytree(TESTS / "data" / "demo", folder))


def make_folder(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with these files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def child_environment(state: Path) -> dict[str, str]:
    """Ours, with our state, the user's settings and temporary files below `state`.

    The profiles of the toys are proven there, where nobody has said what is.
    """
    if not (state / "understudy" / "proofs.json").exists():
        write_proofs(state / "understudy")
    temporary = state / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    inherited = environment()
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        inherited.pop(name, None)
    return {
        **inherited,
        "UNDERSTUDY_STATE_DIR": str(state / "understudy"),
        "UNDERSTUDY_CACHE_DIR": str(state / "cache"),
        "XDG_CONFIG_HOME": str(state / "config"),
        "TMPDIR": str(temporary),
        "COLUMNS": "100",
    }


def left_in_state(state: Path) -> list[str]:
    """Names of what stands in the child's state folder, besides what the toys have proven."""
    return sorted({path.name for path in (state / "understudy").iterdir()} - {"proofs.json"})


def left_in_temporary(state: Path) -> list[str]:
    """Names of what stands in the child's folder for temporary files."""
    return sorted(path.name for path in (state / "tmp").iterdir())


toy_profile = toy_record


def toy_settings(*toys: str, rule: str = "pull") -> str:
    """Settings (TOML) that put toy servers into the catalogue."""
    return settings_text({toy: toy_profile(toy, rule) for toy in toys})


def settings_text(profiles: Mapping[str, Mapping[str, Any]]) -> str:
    """Settings (TOML) with these profiles."""
    lines: list[str] = []
    for name, profile in profiles.items():
        lines.append(f"[servers.{name}]")
        for key, value in profile.items():
            if isinstance(value, dict):
                pairs = ", ".join(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in value.items())
                lines.append(f"{key} = {{ {pairs} }}")
            else:
                lines.append(f"{key} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def write_user_settings(state: Path, text: str) -> None:
    """Make this the user's own settings file."""
    folder = state / "config" / "understudy"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")
