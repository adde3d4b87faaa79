"""Which programs may accept: those that a person has started, and sits in front of."""

from __future__ import annotations


def refuse_unattended() -> None:
    """To be written."""
