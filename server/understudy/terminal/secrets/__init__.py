"""Secrets in text: the rules, and how they are taken out in linear time."""
