"""Turns at one server: whose it is, how long it may be put off, and the gaps in typing."""
