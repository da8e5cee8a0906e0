"""Reading a user's function: its syntax tree, the values observed in plain runs, their kinds and shapes."""
