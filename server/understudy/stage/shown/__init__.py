"""What a stage shows of the machine and of the environment: lists, as data."""
