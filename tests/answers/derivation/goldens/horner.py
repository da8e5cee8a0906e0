# Derived by gradcli: gradcli.derive(horner, at=…)


def grad_horner(x, c):
    """The gradient of horner (scalar_programs.py) by x and c.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    stack = []
    p = 0.0
    items = list(reversed(range(len(c))))
    for k in items:
        stack.append(p)
        p = p * x + c[k]
    s_p = 1.0
    s_c = [0.0] * len(c)
    s_x = 0.0
    for k in reversed(items):
        # p = p * x + c[k]
        s_c[k] += s_p
        p = stack.pop()
        s_x += p * s_p
        s_p = x * s_p
    return s_x, s_c
