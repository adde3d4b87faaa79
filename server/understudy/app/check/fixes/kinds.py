"""What may be asked for at a place."""

from __future__ import annotations

from typing import Literal

PlaceKind = Literal["quickfix", "source.organizeImports", "format"]
