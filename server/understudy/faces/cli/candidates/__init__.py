"""The commands that judge many patches: for one task, and of many repositories."""
