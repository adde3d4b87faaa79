"""Terminals as files: from the bytes a program writes to a log that can be searched."""
