"""Outlines of files: declarations with exact lines and full signatures, within a token budget.

Pure functions of their arguments. Parsing holds the interpreter's lock (a 9 MB file for more than
a second), so callers run it in a worker process with a deadline; nothing here starts a thread,
opens a file of the user's or keeps a tree.
"""
