"""Which form a patch text has."""

from __future__ import annotations

from understudy.edits.patch import FilePatch
from understudy.edits.patch_blocks import has_patch_block, parse_patch_blocks
from understudy.edits.unified import parse_unified
from understudy.values.errors import BadInput
from understudy.values.texts import MAX_TEXT_BYTES


def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """Read a unified or git diff or a patch block; raises BadInput as those readers do."""
    if not text.strip():
        raise BadInput("not-a-diff", "the patch is empty")
    if len(text) > MAX_TEXT_BYTES:
        raise BadInput("too-large", f"{len(text)} characters, the limit is {MAX_TEXT_BYTES}")
    return parse_patch_blocks(text) if has_patch_block(text) else parse_unified(text)
