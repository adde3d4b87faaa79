"""Mending: the servers' own fixes, tried on copies of the edits, and kept where they help."""
