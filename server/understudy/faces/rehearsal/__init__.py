"""The one way out of a branch that an agent lives in, and what it is told when a turn ends."""
