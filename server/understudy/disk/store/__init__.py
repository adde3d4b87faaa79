"""The store: outputs, histories, skills and other servers' tools as files to be searched."""
