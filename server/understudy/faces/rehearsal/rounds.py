"""What an agent was told at the ends of its turns, and how often it may be told more."""

from __future__ import annotations


class Rounds:
    """Counts the rounds of one rehearsal since its user's last prompt: at most `limit` (None: any).

    What was said last is not said again: an agent that ends its turn with the same findings will
    not mend them.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self._said = ""
        self._n_said = 0

    def begin(self, prompt: str | None) -> None:
        """A prompt has come: a turn begins, unless the prompt is what we have said, or is none."""
        if prompt and not (self._said and self._said in prompt):
            self._said, self._n_said = "", 0

    def end(self, text: str) -> str:
        """A turn ends, of whose outcome this can be told; what is told of it."""
        is_spent = self.limit is not None and self._n_said >= self.limit
        if is_spent or not text or text == self._said:
            return ""
        self._said, self._n_said = text, self._n_said + 1
        return text
