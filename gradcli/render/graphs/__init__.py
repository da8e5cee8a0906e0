"""The graph of a tape: what is drawn, where it is placed, and the forms in which it is written."""
