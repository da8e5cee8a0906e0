"""The intermediate form of a function: one operation per statement, with its derivatives as source text."""
