"""Transforms of plain Python functions: gradients, Jacobians, Hessians, and products with derivatives."""
