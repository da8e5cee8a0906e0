# Derived by gradcli: gradcli.derive(twelfth, at=…)


def forward_power(x, n):
    """The value of power, and what backward_power needs of its run."""
    half = None
    kept = None
    t_2 = None
    if n == 0:
        result = 1.0
    else:
        half, kept = forward_power(x, n // 2)
        if n % 2 == 1:
            t_2 = half * half
            result = t_2 * x
        else:
            result = half * half
    return result, (half, kept, n, t_2, x)


def backward_power(kept_1, s_result):
    """The sensitivities to x, from that to the value of power."""
    half, kept, n, t_2, x = kept_1
    s_x = 0.0
    if not n == 0:
        s_half = 0.0
        if n % 2 == 1:
            # return half * half * x
            s_x += t_2 * s_result
            s_2 = x * s_result
            s_half += half * s_2
            s_half += half * s_2
        else:
            # return half * half
            s_half += half * s_result
            s_half += half * s_result
        # half = power(x, n // 2)
        s_x += backward_power(kept, s_half)
    return s_x


def grad_twelfth(x):
    """The gradient of twelfth (power.py) by x.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    result, kept = forward_power(x, 12)
    # return power(x, 12)
    return backward_power(kept, 1.0)
