"""The tape: recording a run of a program, sweeping it, playing it again."""
