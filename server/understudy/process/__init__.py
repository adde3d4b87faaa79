"""Launching other programs: the one door to processes."""
