"""Making a release: what is in a package, whether two builds agree, whether it works when new."""
