"""Performance benchmarks with targets, compared with installed libraries: `python -m benchmarks`."""
