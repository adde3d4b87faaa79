"""How a server can be shown a snapshot, what it cannot see of it, and questions to it."""
