"""Hand tracking: the distances of measured points from a skinned hand, and their Jacobian by pose and places."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, listed, plain

FINGERS, BONES = 5, 22  # of a hand: the wrist, a bone of the palm and three of each finger, and one beside the wrist
PARENTS = [-1, *(0 if n % 4 == 0 else 4 * finger + n for finger in range(FINGERS) for n in range(4)), 0]
TINY = 1e-300  # keeps the axis of no turn finite


def turned_by_axis(turn):
    """The rotation about an axis by its length."""
    angle = np.sqrt(np.sum(turn**2) + TINY)
    x, y, z = turn / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    axis = turn / angle
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * np.outer(axis, axis)


def turned_by_angles(first, second):
    """The rotation by two angles of a joint, about x and then about z, as a 4 by 4 matrix."""
    a, b, c, d = np.cos(first), np.sin(first), np.cos(second), np.sin(second)
    return np.array([[c, -d * a, d * b, 0.0], [d, c * a, -c * b, 0.0], [0.0, b, a, 0.0], [0.0, 0.0, 0.0, 1.0]])


def bones(theta, relatives):
    """The matrices of the bones, side by side: the first joint of a finger has two angles, the others have one."""
    wrist = relatives[0]
    matrices = np.zeros((4, 4 * BONES))
    matrices[:, :4], matrices[:, -4:] = wrist, wrist @ relatives[-1]
    for finger in range(FINGERS):
        n = 4 * finger
        palm = wrist @ relatives[n + 1]
        first = palm @ relatives[n + 2] @ turned_by_angles(theta[n + 6], theta[n + 7])
        second = first @ relatives[n + 3] @ turned_by_angles(theta[n + 8], 0.0)
        third = second @ relatives[n + 4] @ turned_by_angles(theta[n + 9], 0.0)
        matrices[:, 4 * n + 4 : 4 * n + 20] = np.concatenate([palm, first, second, third], axis=1)
    return matrices


def skin(model, vertices):
    """The weighted places of vertices in the coordinates of each bone, one bone after the other, a column each."""
    places = model["inverse_base_absolutes"] @ model["base_positions"][:, vertices]
    return (places * model["weights"][:, None, vertices]).reshape(4 * BONES, -1)


def distances(theta, relatives, own, points):
    """The distances of points from a hand with a skin of their own.

    Args:
        theta: the pose: the rotation of the hand, its place, and the angles of its joints.
        relatives: the matrix of each bone, relative to the one before it.
        own: the skin, a column per point.
        points: the measured points, a column each.
    """
    on_hand = turned_by_axis(theta[:3]) @ (bones(theta, relatives)[:3] @ own) + theta[3:6, None]
    return (points - on_hand).T.ravel()


def within(places, corners):
    """The skin of points in triangles, by two barycentric coordinates of each and the skins of the three corners."""
    u, v = places[:, 0], places[:, 1]
    return u * corners[0] + v * corners[1] + (1 - u - v) * corners[2]


def shifted(shift, theta, relatives, places, corners, points):
    """The distances of points from places in triangles that are all shifted at once."""
    return distances(theta, relatives, within(places + shift, corners), points)


def skins(places, data):
    """The skins of the corners, if there are any, and that of the places."""
    model, triangles = data["model"], data["triangles"]
    if not places.size:
        return None, skin(model, data["correspondences"])
    corners = np.stack([skin(model, vertices) for vertices in triangles[data["correspondences"]].T])
    return corners, within(places, corners)


def objective(theta, places, data):
    """The distances; `places` are two barycentric coordinates of each point in its triangle, if there are any."""
    return distances(theta, data["relatives"], skins(places, data)[1], data["points"])


def jacobian(transforms):
    """The derivatives by the places, each of which moves one point, then those by the pose."""
    by_pose, by_shift = transforms.jacobian(distances), transforms.jacobian(shifted)

    def columns(theta, places, data):
        corners, own = skins(places, data)
        pose = by_pose(theta, data["relatives"], own, data["points"])
        if corners is None:
            return pose
        return np.hstack([by_shift(np.zeros(2), theta, data["relatives"], places, corners, data["points"]), pose])

    return columns


def arguments(given):
    """The pose, the places and the data; a mirrored hand is one whose wrist is mirrored."""
    model = given["data"]["model"]
    if model["parents"] != PARENTS:
        raise ValueError("the bones are not those of a hand")
    arrays = {name: np.array(model[name]) for name in ("inverse_base_absolutes", "weights", "base_positions")}
    arrays["base_positions"], arrays["weights"] = arrays["base_positions"].T, arrays["weights"].T
    relatives = np.array(model["base_relatives"])
    if model["is_mirrored"]:
        relatives[0, 0] *= -1
    data = {
        "model": arrays,
        "relatives": relatives,
        "triangles": np.array(model["triangles"]),
        "correspondences": np.array(given["data"]["correspondences"]),
        "points": np.array(given["data"]["points"]).T.copy(),
    }
    return np.array(given["theta"]), np.array(given["us"], dtype=float).reshape(-1, 2), data


MODULE = {
    "objective": Evaluation(arguments, plain(objective), listed),
    "jacobian": Evaluation(arguments, jacobian, listed),
}
