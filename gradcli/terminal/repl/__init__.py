"""The interactive session: it turns a line into an answer. `terminal` holds everything that needs a terminal."""
