"""The graph of a tape: its content, its layout, and its output formats."""
