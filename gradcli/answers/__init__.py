"""The answers: targets as typed, explanations, derived programs, checks."""
