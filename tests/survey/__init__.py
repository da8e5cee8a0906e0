"""A survey of published packages: gradients of their functions, verdicts on the derivatives that they publish, and on
changed copies of these.

`python -m tests.survey PACKAGE…` prints a table of what each package gave. A file under `packages/` declares what is
called of a package, and is all that another package needs.
"""
