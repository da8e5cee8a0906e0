"""The command line with a memory: a line in, an answer out; what talks to a terminal is in `terminal`."""
