"""The command line: each command parses, asks one verb, and formats."""
