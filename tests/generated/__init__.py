"""Generated programs: statements, containers, calls and shapes at random, derived in all modes and languages."""
