"""What a checking command printed, read as findings: pure functions of its output."""
