"""The reason for a wrong gradient: mistakes tried at each step of the program, and patterns in the components."""
