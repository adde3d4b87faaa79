"""The verbs over kept things: outputs, histories, skills and other tool servers."""
