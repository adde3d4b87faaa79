"""What we own on disk (the state folder) and how we read the user's folder."""
