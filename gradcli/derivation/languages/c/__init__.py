"""A derived program in C99: its sizes are those of the point, its stacks fixed arrays, its loops loops.

`sizes` runs the program on types and sizes alone, and so learns the type of every variable, the shape of every array
and how much a stack holds at most; `numbers`, `arrays` and `statements` write it; `program` makes a file of it; `trial`
compiles it where there is a compiler, and holds it to the Python program.
"""
