"""A git revision as a side of a comparison, or as what a question is about."""
