"""Immutable values: the base (the user's), a branch (an agent's), a snapshot (both)."""
