"""The terminal: commands, the prompt, and all that is drawn; no NumPy and no SymPy."""
