"""Understudy checks an AI agent's edits beside the user's editor."""

__version__ = "0.1.0"
