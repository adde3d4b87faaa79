"""The workspace's other tool servers: which they are, their process, their catalogue."""
