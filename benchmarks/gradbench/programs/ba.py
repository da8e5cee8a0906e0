"""Bundle adjustment: the errors of the projections of points into cameras, and their sparse Jacobian."""

import numpy as np
from scipy.sparse import csr_array

import gradcli
from benchmarks.gradbench.evaluation import Evaluation, plain

CAMERA = 11  # rotation 3, centre 3, focal length, principal point 2, radial distortion 2


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotated(turn, point):
    """A point turned about an axis by its length (Rodrigues)."""
    angle = np.sqrt(np.sum(turn**2, axis=0))
    axis = turn / angle
    along = np.sum(axis * point, axis=0) * (1 - np.cos(angle))
    return point * np.cos(angle) + cross(axis, point) * np.sin(angle) + axis * along


def projected(camera, point):
    """The projection of a point into a camera, or of points into cameras, a column each."""
    turned = rotated(camera[:3], point - camera[3:6])
    flat = turned[:2] / turned[2]
    square = np.sum(flat**2, axis=0)
    distorted = flat * (1 + camera[9] * square + camera[10] * square**2)
    return distorted * camera[6] + camera[7:9]


def error(camera, point, weight, feature, k):
    """One of the two errors of an observation."""
    return weight * (projected(camera, point)[k] - feature[k])


def observations(parameters, observed):
    """The camera, the point and the weight of each observation."""
    camera, point, cameras, points = observed
    ends = CAMERA * cameras, CAMERA * cameras + 3 * points
    by_camera, by_point = parameters[: ends[0]].reshape(-1, CAMERA), parameters[ends[0] : ends[1]].reshape(-1, 3)
    return by_camera[camera], by_point[point], parameters[ends[1] :]


def errors(parameters, observed, features):
    """The errors of the projections, then those of the weights.

    Args:
        parameters: cameras, points and weights, one after the other.
        observed: the camera and the point of each observation, and the numbers of all cameras and points.
        features: where each point was seen.
    """
    cameras, points, weights = observations(parameters, observed)
    seen = projected(cameras.T.copy(), points.T.copy()).T
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
    derived = assembled(transforms) if transforms.is_compiled else gradcli.jacobian(errors, sparse=True)
    return lambda parameters, observed, features: (derived(parameters, observed, features), *observed[2:])


def assembled(transforms):
    """The sparse Jacobian from the gradients of the two errors at all observations."""
    gradient = transforms.grad(error, argnums=(0, 1, 2), points=(0, 1, 2, 3))

    def matrix(parameters, observed, features):
        (camera, point, cameras, points), count = observed, len(features)
        ends = CAMERA, CAMERA + 3  # of the columns of an observation, of which its weight is the last
        columns = np.empty((count, ends[1] + 1), np.int32)
        columns[:, : ends[0]] = CAMERA * camera[:, None] + np.arange(CAMERA)
        columns[:, ends[0] : ends[1]] = CAMERA * cameras + 3 * point[:, None] + np.arange(3)
        columns[:, -1] = CAMERA * cameras + 3 * points + np.arange(count)
        rows = np.empty((count, 2, ends[1] + 1))
        seen = observations(parameters, observed)
        for k in (0, 1):
            rows[:, k, : ends[0]], rows[:, k, ends[0] : ends[1]], rows[:, k, -1] = gradient(*seen, features, k)
        starts = np.append(np.arange(0, rows.size, ends[1] + 1), rows.size + np.arange(count + 1))
        indices = np.append(np.tile(columns, 2), columns[:, -1])
        return csr_array((np.append(rows, -2 * seen[2]), indices, starts), shape=(3 * count, len(parameters)))

    return matrix


MODULE = {
    "objective": Evaluation(arguments, plain(errors), output),
    "jacobian": Evaluation(arguments, jacobian, matrix_output),
}
