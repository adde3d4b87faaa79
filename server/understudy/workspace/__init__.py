"""What lasts while a workspace is served: the session, and every owner of its state."""
