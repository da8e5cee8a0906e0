"""What a recorded run tells of its gradient: cut paths, kinks, the distance to a switch, where NaN was born."""
