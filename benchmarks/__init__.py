"""Performance benchmarks with targets, compared with installed libraries: `python -m benchmarks`."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy is imported
os.environ.setdefault("NPROC", "1")  # read when JAX is imported
