"""The commands, one per module: each reads its options, runs one query and passes the record to a writer."""
