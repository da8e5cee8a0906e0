# Derived by gradcli: gradcli.derive(running_maximum, at=…)

import math


def grad_running_maximum(x):
    """The gradient of running_maximum (scalar_programs.py) by x.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    t_2 = None
    stack = []
    m = x[0]
    s = 0.0
    for k in range(len(x)):
        each = x[k]
        branch = each > m
        if branch:
            t_2 = math.exp(m - each)
            stack.append(s)
            s = s * t_2
            m = each
        t_5 = math.exp(each - m)
        s = s + t_5
        stack.append((branch, t_2, t_5))
    s_x = [0.0] * len(x)
    # return m + math.log(s)
    s_m = 1.0
    s_s = 1.0 / s
    for k in reversed(range(len(x))):
        branch, t_2, t_5 = stack.pop()
        # s += math.exp(each - m)
        s_4 = t_5 * s_s
        s_each = s_4
        s_m -= s_4
        if branch:
            # m = each
            s_each += s_m
            # s *= math.exp(m - each)
            s = stack.pop()
            s_2 = s * s_s
            s_s = t_2 * s_s
            s_1 = t_2 * s_2
            s_each -= s_1
            s_m = s_1
        # for each in x:
        s_x[k] += s_each
    # m = x[0]
    s_x[0] += s_m
    return s_x
