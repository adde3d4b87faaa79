"""Findings as pure functions: line maps, the difference of two sets, their text and JSON forms."""
