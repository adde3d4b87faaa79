"""The verbs that judge: `check` and what it is made of, `request`, `watch`."""
