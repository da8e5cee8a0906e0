"""What a check is asked besides the target and the point: the one record that goes from the command to the judge."""

from __future__ import annotations

from typing import Any

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import Kind


class CheckRequest(Frozen):
    """What a check, or a comparison of two functions, is asked about a target at a point.

    Args:
        against: the gradient to check, as typed or as a target; without one, gradcli's own is checked.
        of: the derivative that is checked.
        wrt: the inputs to differentiate by, as typed; None for all.
        box: intervals from which inputs of random points are drawn, as typed or by name.
        points_file: the path of a file with one point per row.
        device: the device for gradcli's own gradient if that is checked; everything else runs on the host.
        strict: whether KINK, CUT and a gradient that is wrong beside the point count as inconclusive.
        rtol, atol: wider tolerances, relative to the reference and absolute.
        points: the number of random points to check in addition to the given one.
        seed: the random seed for points and for the direction of a Hessian-vector product.
        max_seconds: the time limit in seconds, including loading the target; None or infinity for no limit.
        resumes: whether Ctrl-C keeps the finished rows instead of raising a KeyboardInterrupt.
    """

    against: Any = None
    of: Kind = "gradient"
    wrt: str | None = None
    box: Any = ()
    points_file: str | None = None
    device: str = "cpu"
    strict: bool = False
    rtol: float = 0.0
    atol: float = 0.0
    points: int = 0
    seed: int = 0
    max_seconds: float | None = None
    resumes: bool = False
