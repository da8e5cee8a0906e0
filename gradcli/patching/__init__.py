"""What is replaced in a user's program for the time of one run, and put back afterwards."""
