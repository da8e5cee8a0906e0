"""The self-test of the check: every rule made wrong in turn."""
