"""Functions of SciPy that call the user's: solvers, integrators and quadrature, with their derivatives."""
