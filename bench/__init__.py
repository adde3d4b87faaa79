"""Measures every figure that the project promises: `python -m bench [ROW...]`."""
