"""Context as files: what an agent's prompt is made of, as pure functions of a log of events."""
