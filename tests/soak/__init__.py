"""The soak: everybody at work in one folder for hours while things break; all is known."""
