"""A git folder of the stage's own: what git writes there is nobody's edit, and never the user's."""
