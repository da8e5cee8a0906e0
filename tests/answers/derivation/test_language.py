"""Programs that use much of the language: those that take all lowerings, and those that are refused."""

import inspect

import pytest

import gradcli
from gradcli.errors import UnsupportedError
from tests.answers.derivation import array_programs, idiom_programs, language_programs, scalar_programs

pytestmark = pytest.mark.sampled(2)  # many like cases

PROGRAMS = {**language_programs.PROGRAMS, **idiom_programs.PROGRAMS}
REFUSED = idiom_programs.REFUSED
LOWERINGS = """
    appended_and_popped attention bound_to_another_kind bubble_sort chained_assign chained_comparisons
    dict_of_active eigenvalues energy exact_sum extremes factorised fibonacci horner horner_items ignored_result
    interp_use joined_arrays listed_array logical made_of_numbers meshgrid_use mixed_shapes multiplied_lists
    named_lambdas negative_powers nested_functions_that_call norms np_list of_slope_one outer_sum overlap_store
    permuted raise_in_branch repeated_index repeated_values return_from_nested_loops scattered sorted_values
    stack_list swap_rows unpacked_with_a_star walrus while_else with_default_arguments zip_unequal
""".split()
"""Programs that together take all lowerings, chosen by the lines of `derivation/intermediate` that they execute."""
BY_NAME = {f.__name__: (f, points) for f, points in (
    scalar_programs.PROGRAMS | array_programs.PROGRAMS | PROGRAMS
).items()}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", LOWERINGS)
def test_every_lowering_is_verified_every_day(name):
    """A derived program that disagrees with the tape would raise an InternalError."""
    function, points = BY_NAME[name]

    source = gradcli.derive(function, at=dict(zip(inspect.signature(function).parameters, points[0], strict=False)))

    assert source.verified.by_tape > 0


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_a_program_is_refused(function):
    names = list(inspect.signature(function).parameters)

    with pytest.raises(UnsupportedError) as caught:
        gradcli.derive(function, at=dict(zip(names, PROGRAMS[function][0], strict=False)))

    assert caught.value.line > function.__code__.co_firstlineno
