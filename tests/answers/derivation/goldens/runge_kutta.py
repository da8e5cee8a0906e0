# Derived by gradcli: gradcli.derive(runge_kutta, at=…)

import math


def grad_runge_kutta(x, v, w):
    """The gradient of runge_kutta (scalar_programs.py) by x, v and w.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    stack = []
    h = 0.05
    for _ in range(8):
        k1 = v
        t_1 = math.sin(x)
        l1 = -(w * t_1)
        k2 = v + 0.5 * h * l1
        t_5 = x + 0.5 * h * k1
        t_6 = math.sin(t_5)
        l2 = -(w * t_6)
        k3 = v + 0.5 * h * l2
        t_10 = x + 0.5 * h * k2
        t_11 = math.sin(t_10)
        l3 = -(w * t_11)
        k4 = v + h * l3
        t_15 = x + h * k3
        t_16 = math.sin(t_15)
        l4 = -(w * t_16)
        stack.append(x)
        x = x + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
        v = v + h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0
        stack.append((t_1, t_10, t_11, t_15, t_16, t_5, t_6))
    # return 0.5 * v * v - w * math.cos(x)
    s_w = -math.cos(x)
    s_x = math.sin(x) * w
    s_v = v
    for _ in reversed(range(8)):
        t_1, t_10, t_11, t_15, t_16, t_5, t_6 = stack.pop()
        # v = v + h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0
        s_25 = h * (s_v / 6.0)
        s_l1 = s_25
        s_l4 = s_25
        s_l3 = 2.0 * s_25
        s_l2 = 2.0 * s_25
        # x = x + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
        x = stack.pop()
        s_20 = h * (s_x / 6.0)
        s_k1 = s_20
        s_k4 = s_20
        s_k3 = 2.0 * s_20
        s_k2 = 2.0 * s_20
        # k4, l4 = v + h * l3, -w * math.sin(x + h * k3)
        s_17 = -s_l4
        s_w += t_16 * s_17
        s_15 = math.cos(t_15) * (w * s_17)
        s_x += s_15
        s_k3 += h * s_15
        s_v = s_v + s_k4
        s_l3 += h * s_k4
        # k3, l3 = v + 0.5 * h * l2, -w * math.sin(x + 0.5 * h * k2)
        s_12 = -s_l3
        s_w += t_11 * s_12
        s_10 = math.cos(t_10) * (w * s_12)
        s_x += s_10
        s_k2 += 0.5 * h * s_10
        s_v = s_v + s_k3
        s_l2 += 0.5 * h * s_k3
        # k2, l2 = v + 0.5 * h * l1, -w * math.sin(x + 0.5 * h * k1)
        s_7 = -s_l2
        s_w += t_6 * s_7
        s_5 = math.cos(t_5) * (w * s_7)
        s_x += s_5
        s_k1 += 0.5 * h * s_5
        s_v = s_v + s_k2
        s_l1 += 0.5 * h * s_k2
        # k1, l1 = v, -w * math.sin(x)
        s_2 = -s_l1
        s_w += t_1 * s_2
        s_x += math.cos(x) * (w * s_2)
        s_v = s_v + s_k1
    return s_x, s_v, s_w
