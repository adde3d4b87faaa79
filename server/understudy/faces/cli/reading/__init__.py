"""The commands that read: outlines, maps, questions about code, and whom an edit can reach."""
