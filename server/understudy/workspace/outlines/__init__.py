"""The owners of outlines and maps: what is kept, and what worker processes compute."""
