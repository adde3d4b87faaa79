"""What a text says by its syntax: its imports, and what it declares. Read by parsers alone."""
