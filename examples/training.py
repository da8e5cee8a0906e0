"""Train a line and a curve with GradientTape and three optimisers, each a few lines: descent, momentum, Adam."""

from __future__ import annotations

import numpy as np

import gradcli


class GradientDescent:
    """Step against the gradient."""

    def __init__(self, rate):
        self.rate = rate

    def apply_gradients(self, grads_and_variables):
        """Change each variable by its gradient."""
        for gradient, variable in grads_and_variables:
            variable.assign_sub(self.rate * gradient)


class Momentum(GradientDescent):
    """Step along a velocity that the gradient pulls on."""

    def __init__(self, rate, keep=0.9):
        super().__init__(rate)
        self.keep = keep
        self.velocities = {}

    def apply_gradients(self, grads_and_variables):
        """Change each variable by its velocity."""
        for gradient, variable in grads_and_variables:
            velocity = self.keep * self.velocities.get(variable, 0.0) - self.rate * gradient.numpy()
            self.velocities[variable] = velocity
            variable.assign_add(velocity)


class Adam(GradientDescent):
    """Step by the mean gradient over the root of its mean square (Kingma and Ba, 2015)."""

    def __init__(self, rate, keep=0.9, keep_square=0.999):
        super().__init__(rate)
        self.keep, self.keep_square = keep, keep_square
        self.moments = {}
        self.steps = 0

    def apply_gradients(self, grads_and_variables):
        """Change each variable by its corrected moments."""
        self.steps += 1
        for gradient, variable in grads_and_variables:
            g = gradient.numpy()
            mean, square = self.moments.get(variable, (0.0, 0.0))
            mean = self.keep * mean + (1 - self.keep) * g
            square = self.keep_square * square + (1 - self.keep_square) * g**2
            self.moments[variable] = mean, square
            unbiased = np.sqrt(square / (1 - self.keep_square**self.steps)) + 1e-8
            variable.assign_sub(self.rate * mean / (1 - self.keep**self.steps) / unbiased)


class Line:
    """A model whose variables are found in its attributes."""

    def __init__(self):
        self.w = gradcli.Variable(1.0, name="w")
        self.b = gradcli.Variable(0.0, name="b")

    @property
    def variables(self):
        """Every variable of the model."""
        return [value for value in vars(self).values() if isinstance(value, gradcli.Variable)]

    def __call__(self, x):
        return self.w * x + self.b


def train_step(model, optimizer, x, y):
    """One step; returns the loss before it."""
    with gradcli.GradientTape() as tape:
        loss = np.mean(np.square(model(x) - y))
    gradients = tape.gradient(loss, model.variables)
    optimizer.apply_gradients(zip(gradients, model.variables, strict=True))
    return float(loss.numpy())


def train(optimizer, steps=300):
    """Fit y = 2x - 1 to six points; returns the model and the last loss."""
    x = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])
    model = Line()
    for _ in range(steps):
        loss = train_step(model, optimizer, x, 2.0 * x - 1.0)
    return model, loss


if __name__ == "__main__":
    for optimizer in (GradientDescent(0.05), Momentum(0.01), Adam(0.1)):
        model, loss = train(optimizer)
        print(f"{type(optimizer).__name__}: y = {model.w.numpy():.3f}x + {model.b.numpy():.3f}, loss {loss:.1e}")
