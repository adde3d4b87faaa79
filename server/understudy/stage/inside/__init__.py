"""What runs in the helper processes of the overlay stage (`python -I -S`): stdlib and siblings."""
