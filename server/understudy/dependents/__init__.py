"""Who depends on whom, from the texts alone: import statements, and the closure over them."""
