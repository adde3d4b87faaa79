"""The `copy` kind of stage: a copy of the folder behind a fence."""
