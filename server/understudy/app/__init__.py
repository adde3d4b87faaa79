"""One verb a module; the session is the root of all mutable references."""
