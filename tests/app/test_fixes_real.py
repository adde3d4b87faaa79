"""What real servers offer mends what it is for, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fixes import MISTAKES, Mistake, mend, real_session, text_after

pytestmark = pytest.mark.real

LANGUAGES = sorted({one.language for one in MISTAKES})


@pytest.mark.parametrize("language", LANGUAGES)
async def test_real_servers_mend(tmp_path: Path, language: str) -> None:
    async with real_session(tmp_path, language) as session:
        for mistake in [one for one in MISTAKES if one.language == language]:
            found = await mend(session, mistake)
            assert found.mended is not None
            text = text_after(found, mistake.path)
            assert text == mistake.mended, (str(mistake), found.mended.fixes, found.report)
            assert found.report.verdict == "clean", (str(mistake), found.report.files)
            assert any(one.kept for one in found.mended.fixes)


async def test_what_a_server_does_not_vouch_for_is_left(tmp_path: Path) -> None:
    made_up = "export function first(thing: { n: number }) {\n  return thing.m;\n}\n"
    mistake = Mistake("typescript", "invented", "new.ts", made_up, made_up)
    async with real_session(tmp_path, "typescript") as session:
        found = await mend(session, mistake)
        assert found.mended is not None
        assert text_after(found, "new.ts") == made_up
        assert not any(one.kept for one in found.mended.fixes)
        assert [one.code for one in found.report.introduced] == ["2339"]
