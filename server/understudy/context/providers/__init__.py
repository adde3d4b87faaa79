"""A prompt in the forms that providers take, and figures of what they were sent."""
