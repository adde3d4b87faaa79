"""Calls: what the command line and agents ask of a host, here or through its door."""
