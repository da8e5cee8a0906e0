"""What a user's function says and does: its syntax tree, the values seen in plain runs, their kinds and shapes."""
