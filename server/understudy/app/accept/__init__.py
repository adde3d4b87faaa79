"""The verb `accept`: the user takes edits of a branch, whatever happens meanwhile."""
