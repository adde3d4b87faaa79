"""Data files: JSON and TOML."""
