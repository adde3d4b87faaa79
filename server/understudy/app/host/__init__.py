"""The host of a workspace: its lock, its door, and those who attach."""
