"""Proven profiles: kits to ask servers by, records of what was right, and proof of life."""
