"""Which Understudy this is; the package's own name imports it, so it imports nothing."""

__version__ = "0.1.0"

WIRE = 1
"""Of requests and answers: fields are added and keep it, anything else raises it."""
