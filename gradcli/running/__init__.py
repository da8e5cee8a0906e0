"""The one door: a user's function run while it is recorded, with its errors, its state, its memory and its names."""
