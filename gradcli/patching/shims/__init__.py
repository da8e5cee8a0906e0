"""What stands in for functions, types and modules that take bare numbers, and follows recorded ones."""
