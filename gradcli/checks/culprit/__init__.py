"""Why a gradient is wrong: mistakes tried at each step of the recorded program, and patterns in the numbers."""
