"""Scores of edits over a folder that a toy judges in five languages."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.app.reward_forms import FOLDER, PY, Form
from tests.support.sessions import open_session, toy_profile
from understudy.app.reward.reward import RewardQuestion, reward
from understudy.findings.rewards import Score
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session

LANGUAGES = {
    "*.py": "python", "*.ts": "typescript", "*.go": "go", "*.rs": "rust", "*.cpp": "cpp",
    "*.hpp": "cpp",
}  # fmt: skip
FIXED = PY.replace("return max(low, n)", "return min(max(low, n), high)")
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "{tests}")


@asynccontextmanager
async def judged(tmp_path: Path, files: Mapping[str, str] = FOLDER) -> AsyncIterator[Session]:
    toy = toy_profile(
        "well_behaved", files=LANGUAGES,
        objections=dict.fromkeys(LANGUAGES.values(), "BAD objection"),
    )  # fmt: skip
    async with open_session(tmp_path, dict(files), {"toy": toy}) as session:
        yield session


def edits(edit: Mapping[str, str | None]) -> list[dict[str, Any]]:
    return [
        {"kind": "delete", "path": path} if text is None
        else {"kind": "write", "path": path, "text": text}
        for path, text in edit.items()
    ]  # fmt: skip


async def scored(session: Session, forms: list[Form], **asked: Any) -> list[Score]:
    patches = [edits(form.edit) for form in forms]
    options = CheckOptions(scope="edited", timeout_s=120)
    return await reward(session, RewardQuestion(patches, options, **asked), session.bases.own)
