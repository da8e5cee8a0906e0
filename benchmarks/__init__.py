"""The measured budgets, side by side with whatever neighbours are installed: `python -m benchmarks`."""
