"""The file of accepted failures."""

import json
from pathlib import Path

import pytest

from gradcli.errors import UsageError
from gradcli.shared.records.checks import Outcome
from gradcli.shared.records.verification import CaseResult, GradientCase, Verification
from gradcli.verification.baseline import accepted, baseline_text


def report(*cases: tuple[str, Outcome]) -> Verification:
    return Verification(tuple(CaseResult(GradientCase(name, "a.py:f"), outcome) for name, outcome in cases))


def names(text: str) -> list[str]:
    return [entry["name"] for entry in json.loads(text)["accepted"]]


def test_a_run_over_a_part_keeps_the_other_entries(tmp_path: Path) -> None:
    """A run over the whole writes the file anew; what passes now is taken out."""
    path = tmp_path / "baseline.json"
    path.write_text(baseline_text(report(("a", "fail"), ("b", "fail"), ("c", "pass"))))
    part = report(("b", "pass"), ("d", "timeout"))

    assert names(path.read_text()) == ["a", "b"]
    assert names(baseline_text(part, str(path))) == ["a", "d"]
    assert names(baseline_text(part)) == ["d"]


def test_another_outcome_is_another_failure(tmp_path: Path) -> None:
    """A fingerprint is that of the case and its outcome."""
    path = tmp_path / "baseline.json"
    path.write_text(baseline_text(report(("a", "inconclusive"))))

    assert report(("a", "inconclusive")).cases[0].fingerprint in accepted(str(path))
    assert report(("a", "fail")).cases[0].fingerprint not in accepted(str(path))


def test_another_point_is_another_failure() -> None:
    """A case that takes the name of an accepted one is not accepted with it."""
    one, other = (CaseResult(GradientCase("a", "a.py:f", options={"at": at}), "fail") for at in "12")

    assert one.fingerprint != other.fingerprint


def test_a_message_names_files_from_the_root(tmp_path: Path) -> None:
    """The file is one of the project's, and the same on every machine."""
    crashed = CaseResult(GradientCase("a", "a.py:f"), "crashed", f"ended in {tmp_path}/a.py:3")
    written = json.loads(baseline_text(Verification((crashed,), root=str(tmp_path))))

    assert written["accepted"][0]["message"] == "ended in a.py:3"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"accepted": [}', "expecting value"),
        (b'{"accepted": 3}', "it has no list `accepted`"),
        (b'{"accepted": [3]}', "it has no list `accepted`"),
        (b'{"accepted": [{"fingerprint": 1, "name": "", "outcome": "", "message": ""}]}', "it has no list `accepted`"),
        (b"\xff", "it has no list `accepted`"),
        (b"1e999", "it has no list `accepted`"),
    ],
)
def test_what_is_no_baseline(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_bytes(data)

    with pytest.raises(UsageError, match=said) as caught:
        accepted(str(path))
    assert (str(path), 1 if said == "expecting value" else None) == (caught.value.file, caught.value.line)


def test_a_baseline_may_have_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(baseline_text(report(("a", "fail"))), encoding="utf-8-sig")

    assert len(accepted(str(path))) == 1
