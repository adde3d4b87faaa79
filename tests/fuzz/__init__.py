"""Readers of what others write are given bytes that nobody meant."""
