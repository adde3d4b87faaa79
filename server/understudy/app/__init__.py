"""Verbs: one room each; none knows another."""
