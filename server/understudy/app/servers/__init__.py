"""The verbs on language servers: which there are, and whether their profiles are proven."""
