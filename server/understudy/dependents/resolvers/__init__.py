"""Which files an import means, by the rules of its language."""
