"""Understudy as the environment of other people's harnesses, which are loaded only when used."""
