"""The prompt in a terminal; only this package uses prompt_toolkit."""
