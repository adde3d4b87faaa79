"""Proving a server's profile: questions whose answers are known, asked as checks ask them."""
