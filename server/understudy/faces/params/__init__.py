"""What requests and calls take: one class each, checked strictly."""
