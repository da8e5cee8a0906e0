"""NumPy's functions for recorded arguments, by name, each written in terms of rules.

A function here has NumPy's signature and calls rules or other NumPy functions. An option that would change the meaning
and has no rule is refused by name. A name with a dot is in a submodule of NumPy. Programs of plain numbers import none
of these modules: those that most programs use are imported one by one until a function is there, then the rest by
`rules.all_rule_imports`.
"""
