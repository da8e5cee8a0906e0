"""Programs that look at types, run through every entry."""
