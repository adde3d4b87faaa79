"""Setting an agent up, and taking that back."""
