"""The verbs over recorded terminals, and the recording of one."""
