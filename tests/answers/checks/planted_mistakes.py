"""Mistakes planted by a reader who had not seen the code."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Planted:
    """A function, a gradient of it written by hand, the arguments to judge it at, and what a helpful answer says."""

    name: str
    value: Callable[..., Any]
    candidate: Any  # a function of the same arguments, or the numbers at `points`
    points: tuple[Any, ...]  # the positional arguments; with several, the candidate gives one gradient for each
    kind: str
    says: tuple[str, ...] = ()  # lower case; one of them is enough, none means that no cause may be named
    of: str = "gradient"  # or "jacobian", "hessian"

    def arguments(self) -> tuple[Any, ...]:
        return tuple(point.copy() if isinstance(point, np.ndarray) else point for point in self.points)


PREDICTORS = np.array(
    [
        [0.31, -1.20, 0.74],
        [1.45, 0.62, -0.38],
        [-0.57, 0.93, 1.61],
        [0.88, -0.41, -1.13],
        [-1.32, 0.27, 0.49],
        [0.66, 1.71, -0.22],
        [-0.19, -0.85, 1.07],
    ]
)
RESPONSES = np.array([0.42, -1.31, 2.05, 0.77, -0.68, 1.94, -0.23])
OUTCOMES = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
WEIGHTS = np.array([0.47, -0.83, 1.26])
SAMPLE = np.array([2.13, 3.47, 1.58, 2.91, 4.02])
NEGATIVE = ("sign", "-1 times", "minus", "negat", "opposite")
LOCATED = ("concerns the derivative of", "slip in", "slipped in")


def sigmoid(scores):
    return 1.0 / (1.0 + np.exp(-scores))


# One common factor


def mean_squared_error(weights):
    return np.mean((PREDICTORS @ weights - RESPONSES) ** 2)


def mean_squared_error_summed(weights):
    return 2.0 * PREDICTORS.T @ (PREDICTORS @ weights - RESPONSES)


ACTIVITIES = np.array([0.93, 0.71, 1.34, 0.48])


def buffer_acidity(concentrations):
    return -np.log10(np.sum(ACTIVITIES * concentrations))


def buffer_acidity_natural(concentrations):
    return -ACTIVITIES / np.sum(ACTIVITIES * concentrations)


HARBOUR = np.array([53.55, 9.93])
EARTH_RADIUS = 6371.0


def great_circle_distance(place):
    latitude, longitude = np.radians(place)
    harbour_latitude, harbour_longitude = np.radians(HARBOUR)
    east = np.cos(latitude) * np.cos(harbour_latitude) * np.cos(longitude - harbour_longitude)
    return EARTH_RADIUS * np.arccos(np.sin(latitude) * np.sin(harbour_latitude) + east)


def great_circle_distance_slopes(place):
    latitude, longitude = np.radians(place)
    harbour_latitude, harbour_longitude = np.radians(HARBOUR)
    turn = longitude - harbour_longitude
    north = np.cos(latitude) * np.sin(harbour_latitude)
    cosine = np.sin(latitude) * np.sin(harbour_latitude) + np.cos(latitude) * np.cos(harbour_latitude) * np.cos(turn)
    by_latitude = north - np.sin(latitude) * np.cos(harbour_latitude) * np.cos(turn)
    by_longitude = -np.cos(latitude) * np.cos(harbour_latitude) * np.sin(turn)
    return -EARTH_RADIUS * np.array([by_latitude, by_longitude]) / np.sqrt(1.0 - cosine**2)


COUPLING = np.array([[2.1, 0.4, -0.7], [0.4, 1.6, 0.3], [-0.7, 0.3, 2.9]])


def coupled_energy(state):
    return state @ COUPLING @ state


def coupled_energy_hessian_halved(state):
    return COUPLING.copy()


# The same constant added everywhere


def entropy(shares):
    return -np.sum(shares * np.log(shares))


def entropy_without_one(shares):
    return -np.log(shares)


def reaction_surface(coordinates):
    x, y, z = coordinates
    return x**3 + 2.0 * x * y**2 + y * z


# Sign


def logistic_loss(weights):
    scores = PREDICTORS @ weights
    return np.sum(np.log(1.0 + np.exp(scores)) - OUTCOMES * scores)


def logistic_loss_ascent(weights):
    return PREDICTORS.T @ (OUTCOMES - sigmoid(PREDICTORS @ weights))


ATTRACTION = 3.98


STRIKE = 95.0
RATE = 0.031


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes_call(spot, volatility, maturity):
    spread = volatility * math.sqrt(maturity)
    upper = (math.log(spot / STRIKE) + (RATE + 0.5 * volatility**2) * maturity) / spread
    return spot * normal_cdf(upper) - STRIKE * math.exp(-RATE * maturity) * normal_cdf(upper - spread)


def black_scholes_greeks_by_calendar(spot, volatility, maturity):
    spread = volatility * math.sqrt(maturity)
    upper = (math.log(spot / STRIKE) + (RATE + 0.5 * volatility**2) * maturity) / spread
    density = math.exp(-0.5 * upper**2) / math.sqrt(2.0 * math.pi)
    interest = RATE * STRIKE * math.exp(-RATE * maturity) * normal_cdf(upper - spread)
    theta = -spot * density * volatility / (2.0 * math.sqrt(maturity)) - interest
    return normal_cdf(upper), spot * density * math.sqrt(maturity), theta


# Components in another order

SUBSTRATE = 2.6
INHIBITOR = 0.9


def inhibited_rate(constants):
    fastest, affinity, inhibition = constants
    return fastest * SUBSTRATE / (affinity * (1.0 + INHIBITOR / inhibition) + SUBSTRATE)


def inhibited_rate_slopes(constants):
    fastest, affinity, inhibition = constants
    crowding = 1.0 + INHIBITOR / inhibition
    bottom = affinity * crowding + SUBSTRATE
    by_affinity = -fastest * SUBSTRATE * crowding / bottom**2
    by_inhibition = fastest * SUBSTRATE * affinity * INHIBITOR / (inhibition * bottom) ** 2
    return np.array([SUBSTRATE / bottom, by_inhibition, by_affinity])


def banana_valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def banana_valley_slopes(x):
    rise = x[1:] - x[:-1] ** 2
    to_left = np.append(-400.0 * x[:-1] * rise - 2.0 * (1.0 - x[:-1]), 0.0)
    to_right = np.append(0.0, 200.0 * rise)
    return np.roll(to_left + to_right, 1)


# Transposed

INPUTS = np.array(
    [[0.52, -1.04, 0.33], [1.21, 0.48, -0.77], [-0.36, 0.91, 1.42], [0.15, -0.63, -1.18], [-1.09, 0.29, 0.84]]
)
TARGETS = np.array(
    [[0.11, 0.95, -0.42], [-1.33, 0.27, 0.68], [0.74, -0.56, 1.19], [0.38, 1.47, -0.91], [-0.62, 0.05, 0.83]]
)
MIXING = np.array([[0.61, -0.27, 0.94], [-1.12, 0.35, 0.18], [0.43, 0.79, -0.56]])


def linear_map_error(matrix):
    return 0.5 * np.sum((INPUTS @ matrix - TARGETS) ** 2)


def linear_map_error_slopes(matrix):
    residuals = INPUTS @ matrix - TARGETS
    return residuals.T @ INPUTS


def spherical_position(coordinates):
    radius, polar, azimuth = coordinates
    return np.array(
        [
            radius * np.sin(polar) * np.cos(azimuth),
            radius * np.sin(polar) * np.sin(azimuth),
            radius * np.cos(polar),
        ]
    )


def spherical_position_slopes(coordinates):
    radius, polar, azimuth = coordinates
    by_radius = [np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)]
    by_polar = [radius * np.cos(polar) * np.cos(azimuth), radius * np.cos(polar) * np.sin(azimuth)]
    by_azimuth = [-radius * np.sin(polar) * np.sin(azimuth), radius * np.sin(polar) * np.cos(azimuth), 0.0]
    return np.array([by_radius, [*by_polar, -radius * np.sin(polar)], by_azimuth])


# One row or one block


def perceptron_error(weights, bias):
    return 0.5 * np.sum((np.tanh(PREDICTORS @ weights + bias) - RESPONSES) ** 2)


def perceptron_error_slopes(weights, bias):
    outputs = np.tanh(PREDICTORS @ weights + bias)
    slopes = (outputs - RESPONSES) * (1.0 - outputs**2)
    return 2.0 * PREDICTORS.T @ slopes, np.sum(slopes)


FORWARD = 0.84
CLEAVAGE = 1.37


def reaction_speeds(concentrations):
    a, b, c = concentrations
    forward = FORWARD * a**2
    cleavage = CLEAVAGE * b * c
    return np.array([-forward, forward - cleavage, 3.0 * cleavage])


def reaction_speeds_without_three(concentrations):
    a, b, c = concentrations
    return np.array(
        [
            [-2.0 * FORWARD * a, 0.0, 0.0],
            [2.0 * FORWARD * a, -CLEAVAGE * c, -CLEAVAGE * b],
            [0.0, CLEAVAGE * c, CLEAVAGE * b],
        ]
    )


# Another parameter


def gaussian_log_likelihood(mean, deviation):
    return -SAMPLE.size * np.log(deviation) - np.sum((SAMPLE - mean) ** 2) / (2.0 * deviation**2)


def gaussian_score_first_draft(mean, deviation):
    by_mean = np.sum(SAMPLE - mean) / deviation**2
    return by_mean, -SAMPLE.size + np.sum((SAMPLE - mean) ** 2) / deviation**2


def gaussian_score_second_draft(mean, deviation):
    by_mean = np.sum(SAMPLE - mean) / deviation**2
    by_variance = -SAMPLE.size / (2.0 * deviation**2) + np.sum((SAMPLE - mean) ** 2) / (2.0 * deviation**4)
    return by_mean, by_variance


READINGS = np.array([0.38, -1.24, 0.91, 2.17])


def variance_loss(variances):
    return 0.5 * np.sum(np.log(variances) + READINGS**2 / variances)


def variance_loss_slopes(variances):
    return 0.5 * (READINGS**2 - variances)


HITS = np.array([3.0, 7.0, 2.0])
TRIALS = np.array([11.0, 9.0, 13.0])


def binomial_log_likelihood(chances):
    return np.sum(HITS * np.log(chances) + (TRIALS - HITS) * np.log(1.0 - chances))


def binomial_score(chances):
    return HITS - TRIALS * chances


# Axes and labels


LABELS = np.array([2, 0, 3, 2])
ONE_HOT = np.eye(4)[LABELS]


def cross_entropy(logits):
    return np.sum(np.log(np.sum(np.exp(logits), axis=1))) - np.sum(logits[np.arange(4), LABELS])


def softmax(logits, axis):
    powers = np.exp(logits)
    return powers / np.sum(powers, axis=axis, keepdims=True)


def cross_entropy_first_draft(logits):
    return softmax(logits, axis=0) - ONE_HOT


def cross_entropy_second_draft(logits):
    return softmax(logits, axis=1)


def cross_entropy_fourth_draft(logits):
    return softmax(logits, axis=1) - np.eye(4)[LABELS - 1]


# One wrong name


def crate_cost(sizes):
    length, width, depth, pitch = sizes
    base = 3.0 * length * width
    sides = 2.0 * depth * (length + width)
    return base + sides + pitch * depth**2


def crate_cost_slopes(sizes):
    length, width, depth, pitch = sizes
    by_length = 3.0 * width + 2.0 * pitch
    by_width = 3.0 * length + 2.0 * depth
    by_depth = 2.0 * (length + width) + 2.0 * pitch * depth
    return np.array([by_length, by_width, by_depth, depth**2])


def apparent_power(current, resistance, reactance):
    impedance = np.sqrt(resistance**2 + reactance**2)
    return current**2 * impedance


def apparent_power_slopes(current, resistance, reactance):
    impedance = np.sqrt(resistance**2 + reactance**2)
    share = current**2 / impedance
    return 2.0 * current * impedance, share * resistance, share * resistance


# Two slips at once

FEATURES = np.array([0.73, -1.18, 0.52])


def network_error(hidden, output, bias):
    prediction = output @ np.tanh(hidden @ FEATURES) + bias
    return 0.5 * (prediction - 1.35) ** 2


def network_error_two_slips(hidden, output, bias):
    activations = np.tanh(hidden @ FEATURES)
    residual = output @ activations + bias - 1.35
    by_hidden = residual * np.outer(output * (1.0 - activations**2), FEATURES)
    return by_hidden, 2.0 * residual * activations, -residual


# Arguments changed in place

PENALTIES = np.array([0.6, 1.9, 0.35, 1.2])


def ridge_penalty(weights):
    return np.sum(PENALTIES * weights**2)


def ridge_penalty_doubling(weights):
    weights *= 2.0
    return PENALTIES * weights


def log_sum_exp(logits):
    return np.log(np.sum(np.exp(logits)))


def drag_loss(velocity):
    return 0.82 * np.sum(velocity**2) ** 1.5


def drag_loss_clearing(velocity):
    velocity[0] = 0.0
    return 0.82 * 3.0 * np.sqrt(np.sum(velocity**2)) * velocity


# Rules of differentiation


def saturated_error(weights):
    outputs = np.tanh(PREDICTORS @ weights)
    return 0.5 * np.sum((outputs - RESPONSES) ** 2)


def saturated_error_without_slope(weights):
    outputs = np.tanh(PREDICTORS @ weights)
    return PREDICTORS.T @ (outputs - RESPONSES)


def damped_swing(amplitude, decay, frequency, time):
    envelope = amplitude * np.exp(-decay * time)
    return envelope * np.cos(frequency * time)


def damped_swing_without_decay(amplitude, decay, frequency, time):
    envelope = amplitude * np.exp(-decay * time)
    cosine, sine = np.cos(frequency * time), np.sin(frequency * time)
    by_time = -envelope * frequency * sine
    return envelope * cosine / amplitude, -time * envelope * cosine, -time * envelope * sine, by_time


def pair_potential(distance, depth, diameter):
    repulsion = diameter**12 / distance**12
    attraction = diameter**6 / distance**6
    return 4.0 * depth * (repulsion - attraction)


def pair_potential_slopes(distance, depth, diameter):
    by_distance = 4.0 * depth * (-12.0 * diameter**12 / distance**12 + 6.0 * diameter**6 / distance**7)
    by_depth = 4.0 * ((diameter / distance) ** 12 - (diameter / distance) ** 6)
    by_diameter = 4.0 * depth * (12.0 * diameter**11 / distance**12 - 6.0 * diameter**5 / distance**6)
    return by_distance, by_depth, by_diameter


ELEVATION = 0.67
SUN_AZIMUTH = 2.9


def panel_yield(tilt, azimuth):
    flat = np.cos(tilt) * np.sin(ELEVATION)
    facing = np.sin(tilt) * np.cos(ELEVATION) * np.cos(azimuth - SUN_AZIMUTH)
    return 870.0 * (flat + facing)


def panel_yield_slopes(tilt, azimuth):
    turn = azimuth - SUN_AZIMUTH
    by_tilt = -np.sin(tilt) * np.sin(ELEVATION) + np.sin(tilt) * np.cos(ELEVATION) * np.cos(turn)
    by_azimuth = -np.sin(tilt) * np.cos(ELEVATION) * np.sin(turn)
    return 870.0 * by_tilt, 870.0 * by_azimuth


def interaction(x):
    return np.exp(x[0] * x[1]) + x[0] ** 3 + 2.0 * x[1] ** 2


def interaction_curvature(x):
    power = np.exp(x[0] * x[1])
    mixed = x[0] * x[1] * power
    return np.array([[x[1] ** 2 * power + 6.0 * x[0], mixed], [mixed, x[0] ** 2 * power + 4.0]])


LOGITS = np.array(
    [[0.52, -0.31, 1.14, 0.27], [-0.86, 0.73, 0.19, -1.42], [1.33, 0.08, -0.57, 0.95], [-0.24, 1.61, 0.46, -0.79]]
)

MISTAKES = (
    Planted("mean squared error, summed", mean_squared_error, mean_squared_error_summed, (WEIGHTS,), "factor",
        ("7 times", "7.0 times", "factor 7", "factor of 7", "1/7", "by 7", "average", "of the mean", "1/n", "n times")),
    Planted("decimal logarithm like the natural one", buffer_acidity, buffer_acidity_natural,
        (np.array([0.021, 0.134, 0.057, 0.083]),), "factor",
        ("ln 10", "ln(10)", "log 10", "log(10)", "2.30", "natural log", "decimal log")),
    Planted("degrees taken for radians", great_circle_distance, great_circle_distance_slopes,
        (np.array([47.21, 16.37]),), "factor",
        ("180/pi", "180 / pi", "180/π", "180 / π", "57.2", "57.3", "degree", "radian")),
    Planted("matrix of a quadratic form for its Hessian", coupled_energy, coupled_energy_hessian_halved,
        (np.array([0.62, -1.15, 0.87]),), "factor",
        ("half", "0.5 times", "1/2", "factor 2", "factor of 2", "factor 0.5", "factor of 0.5", "2 times", "by 2"),
        of="hessian"),
    Planted("entropy, without the one", entropy, entropy_without_one, (np.array([0.12, 0.47, 0.23, 0.31]),), "constant",
        ("constant", "same amount", "same number", "plus 1", "minus 1", "+ 1", "- 1", "1 less", "added", "product")),
    Planted("a quarter added to every number", reaction_surface, [7.98, -1.75, -0.45], (np.array([1.5, -0.7, 2.2]),),
        "constant", ("constant", "same amount", "same number", "plus 0.25", "+ 0.25", "0.25 more", "added")),
    Planted("logistic regression, uphill", logistic_loss, logistic_loss_ascent, (WEIGHTS,), "sign", NEGATIVE),
    Planted("theta by the calendar", black_scholes_call, black_scholes_greeks_by_calendar, (101.3, 0.234, 0.71),
        "sign_of_one", NEGATIVE),
    Planted("two enzyme constants swapped", inhibited_rate, inhibited_rate_slopes, (np.array([3.7, 1.45, 0.62]),),
        "permutation", ("swap", "permut", "order", "exchang", "interchang", "switched")),
    Planted("numbers swapped", reaction_surface, [7.73, -0.7, -2.0], (np.array([1.5, -0.7, 2.2]),), "permutation",
        ("swap", "permut", "order", "exchang", "interchang", "switched")),
    Planted("banana valley rolled by one", banana_valley, banana_valley_slopes,
        (np.array([0.64, 0.31, -0.47, 0.92, 1.13]),), "permutation",
        ("roll", "rotat", "shift", "permut", "order", "cyclic")),
    Planted("linear map, transposed", linear_map_error, linear_map_error_slopes, (MIXING,), "transposed",
        ("transpos",)),
    Planted("spherical coordinates, transposed", spherical_position, spherical_position_slopes,
        (np.array([2.3, 0.84, 1.27]),), "transposed", ("transpos",), of="jacobian"),
    Planted("weights of a neuron doubled, bias right", perceptron_error, perceptron_error_slopes,
        (np.array([0.47, -0.33, 0.62]), 0.19), "block",
        ("2 times", "2.0 times", "twice", "doubl", "factor 2", "factor of 2", "bias is right", "by weights")),
    Planted("stoichiometry left out of one row", reaction_speeds, reaction_speeds_without_three,
        (np.array([0.73, 1.18, 0.46]),), "block",
        ("row", "1/3", "0.333", "factor 3", "factor of 3", "3 times", "third"), of="jacobian"),
    Planted("normal sample by the logarithm of the deviation", gaussian_log_likelihood, gaussian_score_first_draft,
        (2.47, 1.38), "by_logarithm", ("by log", "log of", "logarithm of", "log deviation", "log-")),
    Planted("normal sample by the variance", gaussian_log_likelihood, gaussian_score_second_draft, (2.47, 1.38),
        "by_square", ("square", "deviation^2", "by deviation**2", "by deviation ** 2", "²", "variance")),
    Planted("readings by their precisions", variance_loss, variance_loss_slopes, (np.array([0.58, 1.91, 1.27, 3.36]),),
        "by_reciprocal", ("1/", "1 /", "reciprocal", "inverse", "precision")),
    Planted("chances by their log odds", binomial_log_likelihood, binomial_score, (np.array([0.34, 0.63, 0.22]),),
        "by_logit", ("logit", "log odds", "log-odds", "sigmoid", "logistic", "(1 - ", "(1-")),
    Planted("softmax over the wrong axis", cross_entropy, cross_entropy_first_draft, (LOGITS,), "axis",
        ("axis 0", "axis 1", "the axis", "wrong axis", "axes", "rows", "columns", "normalis", "normaliz")),
    Planted("labels forgotten", cross_entropy, cross_entropy_second_draft, (LOGITS,), "labels",
        ("label", "one-hot", "one hot", "1 at", "plus 1", "forgot", "missing", "left out", "indexed", *LOCATED)),
    Planted("labels off by one", cross_entropy, cross_entropy_fourth_draft, (LOGITS,), "labels",
        ("label", "one-hot", "one hot", "shift", "roll", "index", "off by one", *LOCATED)),
    Planted("pitch for depth", crate_cost, crate_cost_slopes, (np.array([1.9, 0.83, 1.27, 0.46]),), "wrong_name",
        ("pitch", "depth", *LOCATED)),
    Planted("resistance for reactance", apparent_power, apparent_power_slopes, (2.7, 14.3, 8.6), "wrong_name",
        ("has resistance", "resistance for", "resistance instead", "by resistance", "repeat", "same as", *LOCATED)),
    Planted("network with two slips", network_error, network_error_two_slips,
        (np.array([[0.36, 0.81, -0.44], [-0.92, 0.27, 0.65]]), np.array([0.58, -1.07]), 0.23), "two_slips",
        ("2 times", "2.0 times", "twice", "doubl", "factor 2", "factor of 2", "hidden is right", *NEGATIVE)),
    Planted("weights left doubled", ridge_penalty, ridge_penalty_doubling, (np.array([0.63, -1.28, 0.94, 1.57]),),
        "in_place",
        ("in place", "in-place", "changes its arg", "changed its arg", "changes the arg", "modif", "mutat", "overwr")),
    Planted("first velocity cleared", drag_loss, drag_loss_clearing, (np.array([1.17, -0.62, 2.08]),), "in_place",
        ("in place", "in-place", "changes its arg", "changed its arg", "changes the arg", "modif", "mutat", "overwr")),
    Planted("slope of the hyperbolic tangent forgotten", saturated_error, saturated_error_without_slope,
        (np.array([0.51, -0.37, 0.68]),), "chain_rule", ("tanh", "chain", *LOCATED)),
    Planted("decay of the envelope forgotten", damped_swing, damped_swing_without_decay, (1.62, 0.38, 2.45, 0.83),
        "product_rule", ("product", "term ", "terms", "envelope", *LOCATED)),
    Planted("power of the repulsion kept", pair_potential, pair_potential_slopes, (1.27, 0.84, 1.09), "wrong_power",
        ("power", "exponent", "repulsion", "** 12", "**12", *LOCATED)),
    Planted("sine for cosine", panel_yield, panel_yield_slopes, (0.46, 2.21), "sine_cosine",
        ("sin(", "cos(", "sine", *LOCATED)),
    Planted("mixed derivatives without the product rule", interaction, interaction_curvature, (np.array([0.74, 0.53]),),
        "product_rule", ("product", "term ", "terms", "diagonal", "mixed", *LOCATED), of="hessian"),
)  # fmt: skip


# Right gradients


def orbital_energy(radius, radial_momentum, angular_momentum):
    return 0.5 * radial_momentum**2 + 0.5 * (angular_momentum / radius) ** 2 - ATTRACTION / radius


def orbital_energy_gradient(radius, radial_momentum, angular_momentum):
    by_radius = ATTRACTION / radius**2 - angular_momentum**2 / radius**3
    return by_radius, radial_momentum, angular_momentum / radius**2


def cosine_similarity(first, second):
    return first @ second / np.sqrt((first @ first) * (second @ second))


def cosine_similarity_gradient(first, second):
    length_first, length_second = np.sqrt(first @ first), np.sqrt(second @ second)
    cosine = first @ second / (length_first * length_second)
    by_first = (second / length_second - cosine * first / length_first) / length_first
    by_second = (first / length_first - cosine * second / length_second) / length_second
    return by_first, by_second


def predator_prey(populations):
    prey, predators = populations
    return np.array([1.1 * prey - 0.4 * prey * predators, 0.1 * prey * predators - 0.45 * predators])


def predator_prey_jacobian(populations):
    prey, predators = populations
    return np.array([[1.1 - 0.4 * predators, -0.4 * prey], [0.1 * predators, 0.1 * prey - 0.45]])


NO_CLASS_RIGHT = (
    Planted("energy of an orbit", orbital_energy, orbital_energy_gradient, (1.43, 0.27, 2.18), "right"),
    Planted("cosine similarity", cosine_similarity, cosine_similarity_gradient,
        (np.array([0.63, -1.14, 0.38]), np.array([1.27, 0.41, -0.76])), "right"),
    Planted("predator and prey", predator_prey, predator_prey_jacobian, (np.array([6.3, 1.9]),), "right",
        of="jacobian"),
)  # fmt: skip


# Wrong gradients without a simple cause


def unrelated_gradient(logits):
    return np.cos(logits) * logits + np.sin(logits) - 0.3 * logits**2


DEMAND = np.array([[0.21, 0.34, 0.08], [0.17, 0.12, 0.29], [0.31, 0.05, 0.24]])
PRICES = np.array([1.9, 0.7, 1.3])


def industry_cost(orders):
    made = np.linalg.solve(np.eye(3) - DEMAND, orders)
    return np.sum(PRICES * made**1.5)


def industry_cost_unfinished(orders):
    made = np.linalg.solve(np.eye(3) - DEMAND, orders)
    slopes = 1.5 * PRICES * np.sqrt(made)
    shadow = slopes
    for _ in range(5):
        shadow = slopes + DEMAND.T @ shadow
    return shadow


def chirp(time):
    return np.exp(-0.4 * time) * np.sin(1.3 * time + 0.8 * time**2)


def lens_error(position):
    return (1.0 / position[0] + 1.0 / position[1] - 0.83) ** 2 + 0.07 * position[0] ** 2 * position[1]


DRIFT = np.array([[1.031, 0.974, 1.018], [0.957, 1.043, 0.989], [1.012, 0.966, 1.027]])


def spherical_position_drifting(coordinates):
    return spherical_position_slopes(coordinates).T * DRIFT + 0.013 * DRIFT**2


NO_CLASS_WRONG = (
    Planted("random numbers", banana_valley, [31.7204, -8.4613, 112.9371, -57.1168, 19.3825],
        (np.array([0.64, 0.31, -0.47, 0.92, 1.13]),), "no_cause"),
    Planted("gradient of something else", log_sum_exp, unrelated_gradient, (np.array([0.37, 1.62, -0.85, 0.93]),),
        "no_cause"),
    Planted("unfinished iteration", industry_cost, industry_cost_unfinished, (np.array([1.4, 0.9, 2.1]),), "no_cause"),
    Planted("scalar near twice the derivative", chirp, -1.18509138162, (0.87,), "no_cause"),
    Planted("two numbers almost swapped", lens_error, [0.109680173641, 0.376821982517], (np.array([1.62, 2.37]),),
        "no_cause"),
    Planted("deviation almost by its logarithm", gaussian_log_likelihood, [0.924175593362739, -2.64585938027],
        (2.47, 1.38), "no_cause"),
    Planted("spherical coordinates, drifting", spherical_position, spherical_position_drifting,
        (np.array([2.3, 0.84, 1.27]),), "no_cause", of="jacobian"),
)  # fmt: skip
