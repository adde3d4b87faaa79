"""Live stages: what a process has written on one, and over which text of the user's."""
