"""An outline as lines within a budget of tokens."""
