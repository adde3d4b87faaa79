"""What Go files say by their syntax."""
