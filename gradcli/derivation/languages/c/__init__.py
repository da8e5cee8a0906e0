"""Derived programs in C99: arrays have the sizes of the point, stacks are fixed arrays, and loops stay loops.

`size_inference` runs the program on types and sizes only and infers the type of every variable, the shape of every
array and the maximum size of each stack. `scalar_expressions`, `array_expressions`, `assignments` and `statements`
write the program, `program` makes a file of it, and `trial` compiles it, if possible, and compares it with Python.
"""
