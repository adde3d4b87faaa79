"""Which Understudy this is; the package's own name imports it, so it imports nothing."""

__version__ = "0.1.0"
