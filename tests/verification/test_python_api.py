"""`gradcli.verify` and the marks, in Python."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import UsageError
from gradcli.verification.check_options import LOCAL
from gradcli.verification.gradient_marks import OPTIONS
from tests.verification.conftest import Finished


def bowl(x):
    return np.sum(x * x)


@gradcli.gradient_of(bowl, at=np.array([1.0, 2.0]), points=2)
def bowl_gradient(x):
    return 2 * x


@gradcli.gradient_of(bowl, at=np.array([1.0, 2.0]), name="a slip")
def bowl_slip(x):
    return x


@gradcli.hessian_of(bowl, at=np.array([1.0, 2.0]))
def bowl_hessian(x):
    return 2 * np.eye(x.size)


def test_a_mark_leaves_the_function_as_it_is():

    def g(x):
        return 2 * x

    assert g is gradcli.gradient_of(bowl, at=1.0)(g)


def test_functions_run_here():
    report = gradcli.verify(bowl_gradient, bowl_slip, bowl_hessian)

    assert [each.outcome for each in report.cases] == ["pass", "fail", "pass"]
    assert (report.verdict, report.exit, report.counts) == ("fail", 1, {"fail": 1, "pass": 2})
    assert repr(report) == "<gradcli report: fail; 3 cases: 2 pass, 1 fail>"
    assert report.failures[0].case.name == "a slip"


def test_a_mark_names_an_object_that_an_adapter_takes():
    @gradcli.gradient_of({"fun": bowl, "jac": lambda x: 3 * x}, at=np.array([1.0, 2.0]))
    def of_the_object(x):
        return 2 * x

    (case,) = gradcli.verify(of_the_object).cases

    assert case.outcome == "pass"


@pytest.mark.parametrize("box", [{"x": (0.0, 1.0)}, {"x": [0, 1]}, "x=0:1", ["x=0:1"]])
def test_the_box_of_a_mark(box):
    """Pairs, as `gradcli.check` takes them, or as in the configuration; without a point, it gives one."""

    @gradcli.gradient_of(lambda x: x * x, box=box)
    def g(x):
        return 2 * x

    (case,) = gradcli.verify(g).cases

    assert (case.outcome, case.comparison.point) == ("pass", {"x": 0.735})


def test_a_report_is_drawn_and_saved(tmp_path):
    report = gradcli.verify([bowl_gradient])
    report.save(tmp_path / "report.xml", "junit")

    assert '<div class="gradcli-report">' in report._repr_html_()
    assert 'tests="1"' in (tmp_path / "report.xml").read_text()
    with pytest.raises(UsageError, match="no form 'xml'"):
        report.text("xml")


@pytest.mark.long
def test_files_and_functions_together(finished: Finished):
    report = gradcli.verify(bowl_slip, finished.folder / "models.py", select="problem.fun")

    assert [each.case.name for each in report.cases][:2] == ["a slip", "models.py:problem.fun by problem.jac"]
    assert report.counts == {"pass": 3, "fail": 2}


def test_what_has_no_mark_or_no_point():
    """The first is an error, the second is not checked."""

    @gradcli.gradient_of(bowl)
    def g(x):
        return 2 * x

    assert (gradcli.verify(g).verdict, gradcli.verify(g).exit) == ("unchecked", 6)
    with pytest.raises(UsageError, match="bowl has no mark"):
        gradcli.verify(bowl)


@pytest.mark.parametrize("mark", [gradcli.gradient_of, gradcli.jacobian_of, gradcli.hessian_of])
@pytest.mark.parametrize(("name", "meant"), [("att", "write at="), ("ta", "write at="), ("bogus", "it has at, box")])
def test_a_mark_with_an_unknown_option(mark, name, meant):
    with pytest.raises(TypeError, match=f"gradcli.{mark.__name__} has no argument '{name}'; {meant}"):
        mark(bowl, **{name: 1.0})


def test_the_options_of_a_mark():
    """A mark takes the options of a configured entry, and the point and the name of one."""
    assert {key.replace("_", "-") for key in OPTIONS} == {*LOCAL, "name"}
