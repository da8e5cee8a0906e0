"""Evidence at points where a function is not smooth: one-sided gradients, kinks, jumps, branch boundaries."""
