"""The tape: what a run recorded, operation by operation, in execution order."""
