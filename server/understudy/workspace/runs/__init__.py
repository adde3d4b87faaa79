"""Stages of runs, and what commands changed on them."""
