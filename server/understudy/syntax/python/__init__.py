"""What Python texts import and declare."""
