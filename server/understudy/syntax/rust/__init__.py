"""What Rust files say by their syntax."""
