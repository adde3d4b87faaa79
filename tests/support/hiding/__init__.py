"""Small projects with known findings, and edits that break or mend something in them."""
