"""Small things that every package may use: records and findings, texts, files, processes, settings."""
