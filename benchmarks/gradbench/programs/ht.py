"""Hand tracking: the distances of measured points from a skinned hand, and their Jacobian by pose and places."""

import numpy as np

import gradcli
from benchmarks.gradbench.evaluation import Evaluation, listed, plain

FINGERS = 5


def turned_by_axis(turn):
    """The rotation about an axis by its length."""
    angle = np.sqrt(np.sum(turn**2))
    if angle < 1e-4:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    axis = turn / angle
    return np.cos(angle) * np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * np.outer(axis, axis)


def turned_by_angles(first, second):
    """The rotation by two angles of a joint, about x and then about z, as a 4 by 4 matrix."""
    about_x, about_z = np.eye(4), np.eye(4)
    about_x[1, 1], about_x[1, 2] = np.cos(first), -np.sin(first)
    about_x[2, 1], about_x[2, 2] = np.sin(first), np.cos(first)
    about_z[0, 0], about_z[0, 1] = np.cos(second), -np.sin(second)
    about_z[1, 0], about_z[1, 1] = np.sin(second), np.cos(second)
    return about_z @ about_x


def joints(theta, bones):
    """The two angles of each bone: the first of a finger's joints has both, the others have one."""
    angles = [(0.0, 0.0)] * bones
    at = 6
    for finger in range(FINGERS):
        for joint in range(3):
            second = 0.0
            first, at = theta[at], at + 1
            if joint == 0:
                second, at = theta[at], at + 1
            angles[2 + 4 * finger + joint] = (first, second)
    return angles


def vertices(theta, model):
    """The places of the hand's vertices, a column each."""
    absolutes = []
    positions = np.zeros((3, model["base_positions"].shape[1]))
    for bone, (first, second) in enumerate(joints(theta, len(model["parents"]))):
        relative = model["base_relatives"][bone] @ turned_by_angles(first, second)
        parent = model["parents"][bone]
        absolutes.append(relative if parent == -1 else absolutes[parent] @ relative)
        moved = absolutes[bone] @ model["inverse_base_absolutes"][bone] @ model["base_positions"]
        positions = positions + moved[:3] * model["weights"][bone]
    if model["is_mirrored"]:
        positions = positions * np.array([[-1.0], [1.0], [1.0]])
    return turned_by_axis(theta[:3]) @ positions + theta[3:6, None]


def distances(theta, places, data):
    """The distances; `places` are two barycentric coordinates of each point in its triangle, if there are any."""
    moved = vertices(theta, data["model"])
    if places.size:
        corners = data["triangles"][data["correspondences"]]
        u, v = places[:, 0], places[:, 1]
        on_hand = u * moved[:, corners[:, 0]] + v * moved[:, corners[:, 1]] + (1 - u - v) * moved[:, corners[:, 2]]
    else:
        on_hand = moved[:, data["correspondences"]]
    return (data["points"] - on_hand).T.ravel()


def jacobian(transforms):
    """The derivatives by the places, each of which moves one point, then those by the pose."""
    by_pose = transforms.jacobian(distances)

    def columns(theta, places, data):
        pose = by_pose(theta, places, data)
        if not places.size:
            return pose
        first, second = (
            gradcli.jvp(lambda moved: distances(theta, moved, data), (places,), (np.zeros_like(places) + unit,))[1]
            for unit in np.eye(2)
        )
        return np.column_stack([first, second, pose])

    return columns


def arguments(given):
    model = given["data"]["model"]
    arrays = {name: np.array(model[name]) for name in ("base_relatives", "inverse_base_absolutes", "weights")}
    arrays["base_positions"], arrays["weights"] = np.array(model["base_positions"]).T, arrays["weights"].T
    data = {
        "model": {**arrays, "parents": model["parents"], "is_mirrored": model["is_mirrored"]},
        "triangles": np.array(model["triangles"]),
        "correspondences": np.array(given["data"]["correspondences"]),
        "points": np.array(given["data"]["points"]).T,
    }
    return np.array(given["theta"]), np.array(given["us"], dtype=float).reshape(-1, 2), data


MODULE = {
    "objective": Evaluation(arguments, plain(distances), listed),
    "jacobian": Evaluation(arguments, jacobian, listed),
}
