"""Which files have the user's tools run something: one table, as data, which users can add to."""
