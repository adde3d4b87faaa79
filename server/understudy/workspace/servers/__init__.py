"""Which language servers judge a file, with what environment, and their kept answers."""
