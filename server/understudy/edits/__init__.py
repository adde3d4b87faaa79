"""Edits as pure functions: parse what an agent sends, apply it to texts, all or nothing."""
