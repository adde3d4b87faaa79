"""What hooks of agents ask, each in a process that ends at once."""
