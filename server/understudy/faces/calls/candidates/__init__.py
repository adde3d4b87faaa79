"""The calls that judge many patches for one task."""
