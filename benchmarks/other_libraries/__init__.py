"""Derivatives that objects of other libraries bring, each right and with a slip, judged by gradcli and by their owners.

`python -m benchmarks.other_libraries` prints the counts, and a line for each object that one of them misjudges; with
`--check` it exits with 1 if gradcli does. Libraries that are not installed are left out. The operations are written
anew after those of the named files.
"""
