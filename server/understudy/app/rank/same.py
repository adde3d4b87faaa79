"""Which candidates say the same: to the byte, or but for remarks and layout."""

from __future__ import annotations

from understudy.outline.detection import language_of_name
from understudy.outline.languages import LANGUAGES
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.code_digest import code_digest
from understudy.values.stamps import Stamp, stamp_of
from understudy.workspace.workers import Workers


def text_stamp(snapshot: Snapshot) -> Stamp:
    """Names the texts that the snapshot has over its base."""
    parts: list[str | None] = []
    for path, text in sorted(snapshot.edits.items()):
        parts += [path, None if text is None else text.digest]
    return stamp_of(parts)


async def code_stamp(snapshot: Snapshot, workers: Workers) -> Stamp:
    """Names the code in them; the text itself where that cannot be told from remarks."""
    parts: list[str | None] = []
    for path, packed in sorted(snapshot.edits.items()):
        parts.append(path)
        if packed is None:
            parts.append(None)
            continue
        text = packed.unpack()
        language = LANGUAGES.get(language_of_name(path) or "")
        code = None
        if language is not None:
            size = len(text.content)
            code = await workers.run(code_digest, language.grammar, text.encode(), size=size)
        parts.append(packed.digest if code is None else f"code {code}")
    return stamp_of(parts)
