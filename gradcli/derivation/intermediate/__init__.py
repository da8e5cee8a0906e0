"""The intermediate form of a function: one operation a statement, with what each passes back and on as text."""
