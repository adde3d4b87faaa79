"""Parse, call one verb, format: command line and LSP."""
