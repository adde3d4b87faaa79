"""A screen as a terminal would show it: from bytes to rows that never change again."""
