"""The branches of a host: the one owner, edits, rebase, parts, verdicts."""
