"""The gradient as source code: a Python function in, the function of its gradient out, its control flow kept.

A derivation goes through five stages, one a module or two each:

* `functions` reads the text of a function, `observation` runs it on plain numbers and notes what each expression is;
* `exits` and `lowering` write it as `statements`: one operation a statement, every exit at the end of its block;
* `reverse` writes the statements that carry sensitivities backwards, `tangents` those that carry tangents forwards;
* `saving` decides which values the backward pass has to find again, and `tidying` removes what nothing needs;
* `layout` makes a file of it, and `verification` runs the file against the tape and against differences.
"""
