"""What verbs answer, as JSON and as text: the same words on every face."""
