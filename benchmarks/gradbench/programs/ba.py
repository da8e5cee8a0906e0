"""Bundle adjustment: the errors of the projections of points into cameras, and their sparse Jacobian."""

import numpy as np

import gradcli
from benchmarks.gradbench.evaluation import Evaluation, plain

CAMERA = 11  # rotation 3, centre 3, focal length, principal point 2, radial distortion 2


def rotated(turns, points):
    """Points turned about axes by their lengths (Rodrigues)."""
    angle = np.sqrt(np.sum(turns**2, axis=1))[:, None]
    axis = turns / angle
    along = np.sum(axis * points, axis=1)[:, None] * (1 - np.cos(angle))
    return points * np.cos(angle) + np.cross(axis, points) * np.sin(angle) + axis * along


def projected(cameras, points):
    turned = rotated(cameras[:, :3], points - cameras[:, 3:6])
    flat = turned[:, :2] / turned[:, 2:]
    square = np.sum(flat**2, axis=1)[:, None]
    distorted = flat * (1 + cameras[:, 9:10] * square + cameras[:, 10:] * square**2)
    return distorted * cameras[:, 6:7] + cameras[:, 7:9]


def errors(parameters, observed, features):
    """The errors of the projections, then those of the weights.

    Args:
        parameters: cameras, points and weights, one after the other.
        observed: the camera and the point of each observation, and the numbers of all cameras and points.
        features: where each point was seen.
    """
    camera, point, cameras, points = observed
    ends = CAMERA * cameras, CAMERA * cameras + 3 * points
    by_camera, by_point = parameters[: ends[0]].reshape(-1, CAMERA), parameters[ends[0] : ends[1]].reshape(-1, 3)
    weights = parameters[ends[1] :]
    seen = projected(by_camera[camera], by_point[point])
    return np.concatenate([(weights[:, None] * (seen - features)).ravel(), 1 - weights**2])


def arguments(given):
    cameras, points, count = given["n"], given["m"], given["p"]
    parts = np.tile(given["cam"], cameras), np.tile(given["x"], points), np.full(count, given["w"])
    number = np.arange(count)
    observed = number % cameras, number % points, cameras, points
    return np.concatenate(parts), observed, np.tile(given["feat"], (count, 1))


def output(both):
    count = len(both) // 3
    return {
        "reproj_error": {"elements": both[:2].tolist(), "repeated": count},
        "w_err": {"element": float(both[-1]), "repeated": count},
    }


def matrix_output(result):
    """The entries of the first observation by its own camera, point and weight, and the last entry.

    The suite stores all of them, those that are 0 too, and the starts of the rows.
    """
    matrix, cameras, points = result
    count = matrix.shape[0] // 3
    columns = [*range(CAMERA), *(CAMERA * cameras + n for n in range(3)), CAMERA * cameras + 3 * points]
    block = len(columns)
    starts = [block * min(n, 2 * count) + max(0, n - 2 * count) for n in range(3 * count + 1)]
    return {
        "rows": [*starts[:30], starts[-1]],
        "cols": [*columns, *columns, matrix.shape[1] - 1],
        "vals": [*matrix[:2, columns].toarray().ravel().tolist(), float(matrix[-1, -1])],
    }


def jacobian(transforms):
    """The sparse Jacobian, with the numbers of cameras and points."""
    derived = gradcli.jacobian(errors, sparse=True)
    return lambda parameters, observed, features: (derived(parameters, observed, features), *observed[2:])


MODULE = {
    "objective": Evaluation(arguments, plain(errors), output),
    "jacobian": Evaluation(arguments, jacobian, matrix_output),
}
