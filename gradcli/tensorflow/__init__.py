"""TensorFlow's eager interface: tensors, variables, and GradientTape."""
