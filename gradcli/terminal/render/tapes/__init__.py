"""Views of a tape: a listing, a tree, a graph; parts of it, and its loops folded."""
