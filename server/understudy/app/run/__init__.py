"""The verb `run`: a command on a stage, its receipt, and what becomes of its changes."""
