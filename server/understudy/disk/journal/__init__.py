"""The journal: branches and accepts on disk, in one SQLite file."""
