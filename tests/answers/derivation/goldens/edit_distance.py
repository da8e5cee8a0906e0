# Derived by gradcli: gradcli.derive(edit_distance, at=…)

import math


def grad_edit_distance(a, b):
    """The gradient of edit_distance (scalar_programs.py) by a and b.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    stack = []
    previous = [0.0] * (len(b) + 1)
    for j in range(len(b)):
        previous[j + 1] = previous[j] + abs(b[j])
    for i in range(len(a)):
        current = [0.0] * (len(b) + 1)
        current[0] = previous[0] + abs(a[i])
        for j in range(len(b)):
            t_8 = a[i] - b[j]
            change = previous[j] + t_8**2
            insert = current[j] + abs(b[j])
            remove = previous[j + 1] + abs(a[i])
            t_14 = change
            branch = insert < t_14
            if branch:
                t_14 = insert
            branch_1 = remove < t_14
            if branch_1:
                t_14 = remove
            current[j + 1] = t_14
            stack.append((branch, branch_1, t_8))
        stack.append(previous)
        previous = current
        stack.append(current)
    s_b = [0.0] * len(b)
    s_previous = [0.0] * len(previous)
    s_a = [0.0] * len(a)
    # return previous[len(b)]
    s_previous[len(b)] += 1.0
    for i in reversed(range(len(a))):
        current = stack.pop()
        s_current = [0.0] * len(current)
        # previous = current
        s_current = [p + q for p, q in zip(s_current, s_previous)]
        s_previous = [0.0] * len(previous)
        previous = stack.pop()
        for j in reversed(range(len(b))):
            branch, branch_1, t_8 = stack.pop()
            s_insert = 0.0
            s_remove = 0.0
            # current[j + 1] = min(change, insert, remove)
            s_14 = s_current[j + 1]
            if branch_1:
                # current[j + 1] = min(change, insert, remove)
                s_remove += s_14
                s_14 = 0.0
            if branch:
                # current[j + 1] = min(change, insert, remove)
                s_insert += s_14
                s_14 = 0.0
            # current[j + 1] = min(change, insert, remove)
            s_change = s_14
            # remove = previous[j + 1] + abs(a[i])
            s_a[i] += (math.copysign(1.0, a[i]) if a[i] != 0 else 0.0) * s_remove
            s_previous[j + 1] += s_remove
            # insert = current[j] + abs(b[j])
            s_b[j] += (math.copysign(1.0, b[j]) if b[j] != 0 else 0.0) * s_insert
            s_current[j] += s_insert
            # change = previous[j] + (a[i] - b[j]) ** 2
            s_8 = 2 * t_8 * s_change
            s_a[i] += s_8
            s_b[j] -= s_8
            s_previous[j] += s_change
        # current[0] = previous[0] + abs(a[i])
        s_6 = s_current[0]
        s_a[i] += (math.copysign(1.0, a[i]) if a[i] != 0 else 0.0) * s_6
        s_previous[0] += s_6
    for j in reversed(range(len(b))):
        # previous[j + 1] = previous[j] + abs(b[j])
        s_3 = s_previous[j + 1]
        s_b[j] += (math.copysign(1.0, b[j]) if b[j] != 0 else 0.0) * s_3
        s_previous[j] += s_3
    return s_a, s_b
