"""Stages of checking commands, and what the commands have proven."""
