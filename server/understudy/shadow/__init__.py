"""Immutable values: what the user has (base), what an agent did (branch), both together (snapshot)."""
