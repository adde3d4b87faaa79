"""Coming to a workspace's host, or becoming it."""
