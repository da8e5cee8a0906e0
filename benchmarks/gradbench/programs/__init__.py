"""The evaluations of GradBench as a user writes them in NumPy, one module each, with their gradients by gradcli."""
