"""What is called of each surveyed package: a module each, with the release that was swept and the cases."""
