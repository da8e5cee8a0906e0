"""Python code as it stands: whose code a frame runs, what a function leads to, where an object was made."""
