"""Questions about code that language servers answer, and refactorings that they know."""
