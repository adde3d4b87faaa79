"""What we know about agents: one table, as data, which users can add to."""
