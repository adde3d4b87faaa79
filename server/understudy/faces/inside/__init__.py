"""An agent that lives in a branch, seen from there: the way out to what is known of the branch."""
