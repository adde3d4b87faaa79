"""Which files the imports of TypeScript and JavaScript mean."""
