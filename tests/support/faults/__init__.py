"""Lets one system call of a verb fail, be cut short or be the last, each in its turn."""
