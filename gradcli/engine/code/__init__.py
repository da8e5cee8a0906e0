"""Python code read without running it: the owner of a frame, the code a function reaches, the origin of an array."""
