"""The user's folder: how it is walked, read, written by an accept, and mended after a kill."""
