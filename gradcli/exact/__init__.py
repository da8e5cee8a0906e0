"""The derivative of a recorded program with 50 digits: numbers, linear algebra and transforms of many digits."""
