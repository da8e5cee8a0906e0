"""The mathematics: the formula language, and the rules of differentiation."""
