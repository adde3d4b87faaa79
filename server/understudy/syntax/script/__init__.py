"""TypeScript's and JavaScript's imports and declarations, read from the tree of their grammar."""
