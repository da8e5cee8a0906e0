"""gradcli in GradBench, a suite of differentiation tools: twelve programs, and the protocol that its evaluations speak.

`python -m benchmarks.gradbench --tool eager` is the tool, as GradBench starts it: a message of JSON comes on each line
of stdin, and an answer goes to stdout. `python -m benchmarks.gradbench --repo CHECKOUT` runs the evaluations of a
checkout of the suite beside the tools that it finds there, and prints the table.
"""
