"""The commands, one a file: each reads options, asks one question and hands the record to a writer."""
