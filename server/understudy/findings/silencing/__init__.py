"""What an edit adds that silences checkers and tests: found by rules that are data."""
