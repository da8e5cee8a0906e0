"""The engine: runs a program and records it; tape, followed code, traces."""
