"""What a stage with a network of its own reaches outside: a list of hosts, and nothing else."""
