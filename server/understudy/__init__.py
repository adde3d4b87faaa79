"""Understudy lets an AI agent rehearse its edits beside the user's editor."""

__version__ = "0.1.0"
