"""Derived programs in C99: arrays have the sizes of the point, stacks are fixed arrays, and loops stay loops.

`sizing_run` runs the verified Python program and finds the type of every variable, the shape of every array and the
maximum size of each stack. `expressions`, `calls`, `assignments` and `statements` write the program
by functions in tables, `program` makes a file of it, and `trial` compiles it, if possible, and compares it with Python.
"""
