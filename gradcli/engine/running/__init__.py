"""The recorded run of a user's function, with its errors, state, memory and variable names."""
