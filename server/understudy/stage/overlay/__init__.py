"""The `overlay` kind of stage: namespaces and overlayfs at the folder's own path."""
