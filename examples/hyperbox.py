"""The surface of a box in three and in four dimensions, with a gradient written by hand and one that has a slip."""


def f3(a, b, c):
    """The surface of a box with sides a, b and c."""
    return 2.0 * (a * b + b * c + c * a)


def f4(side_lengths):
    """The hypersurface of a box in four dimensions, every step under a name of its own."""
    t_a, t_b, t_c, t_d = side_lengths
    t_ab = t_a * t_b
    t_cd = t_c * t_d
    t_abc = t_ab * t_c
    t_abd = t_ab * t_d
    t_acd = t_a * t_cd
    t_bcd = t_b * t_cd
    t_s = t_abc + t_abd + t_acd + t_bcd
    ret = 2.0 * t_s
    return ret


# gradcli: --at 1,2,3,4
def grad_f4(side_lengths):
    """The gradient of f4 by hand: for every t_ of f4, last one first, the sensitivity s_ of the result on it."""
    t_a, t_b, t_c, t_d = side_lengths
    t_ab = t_a * t_b
    t_cd = t_c * t_d
    s_s = 2.0
    s_abc = s_abd = s_acd = s_bcd = s_s
    s_cd = t_b * s_bcd + t_a * s_acd
    s_ab = t_d * s_abd + t_c * s_abc
    s_d = t_ab * s_abd + t_c * s_cd
    s_c = t_ab * s_abc + t_d * s_cd
    s_b = t_cd * s_bcd + t_a * s_ab
    s_a = t_cd * s_acd + t_b * s_ab
    return [s_a, s_b, s_c, s_d]


def grad_f4_slip(side_lengths):
    """The same with one slip: in s_d the factor of s_cd is t_d, where it ought to be t_c."""
    t_a, t_b, t_c, t_d = side_lengths
    t_ab = t_a * t_b
    t_cd = t_c * t_d
    s_s = 2.0
    s_abc = s_abd = s_acd = s_bcd = s_s
    s_cd = t_b * s_bcd + t_a * s_acd
    s_ab = t_d * s_abd + t_c * s_abc
    s_d = t_ab * s_abd + t_d * s_cd
    s_c = t_ab * s_abc + t_d * s_cd
    s_b = t_cd * s_bcd + t_a * s_ab
    s_a = t_cd * s_acd + t_b * s_ab
    return [s_a, s_b, s_c, s_d]
