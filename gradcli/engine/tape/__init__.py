"""The tape: the record of a run, one operation after another in execution order."""
