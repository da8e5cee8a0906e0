"""The baseline: a file of accepted failures, which do not fail a run; new failures do."""

from __future__ import annotations

import json
import os

from gradcli.errors import UsageError
from gradcli.shared.records.json_form import SCHEMA
from gradcli.shared.records.verification import Verification
from gradcli.shared.regular_files import read_file
from gradcli.verification.reports import from_root

KEYS = ("fingerprint", "name", "outcome", "message")


def baseline_text(report: Verification, path: str | None = None) -> str:
    """The text of a baseline file: the failures of a run, including those accepted before.

    Args:
        report: the run.
        path: for a run over part of a project, the baseline whose entries on other cases are kept; otherwise None.
    """
    failing = [case for case in from_root(report).cases if case.is_failure or case.accepted == "baseline"]
    entries = [
        {
            "fingerprint": result.fingerprint,
            "name": result.case.name,
            "outcome": result.outcome,
            "message": result.message,
        }
        for result in failing
    ]
    judged = {case.case.name for case in report.cases}
    holds_any = path and os.path.exists(path) and os.path.getsize(path) > 0
    others = [entry for entry in (_entries(path) if path and holds_any else ()) if entry["name"] not in judged]
    entries = sorted([*entries, *others], key=lambda entry: entry["name"])
    return json.dumps({"schema": SCHEMA, "accepted": entries}, indent=2, ensure_ascii=False) + "\n"


def accepted(path: str) -> frozenset[str]:
    """The fingerprints in a baseline file.

    Raises:
        UsageError: the file does not exist or is not a baseline.
    """
    return frozenset(entry["fingerprint"] for entry in _entries(path))


def _entries(path: str) -> list[dict[str, str]]:
    try:
        data = json.loads(read_file(path).decode("utf-8-sig"))
        entries = [{key: entry[key] for key in KEYS} for entry in data["accepted"]]
        if all(isinstance(text, str) for entry in entries for text in entry.values()):
            return entries
        raise TypeError
    except FileNotFoundError:
        raise UsageError(f"There is no baseline {path!r}.", hint="--update-baseline writes it.") from None
    except OSError as error:
        raise UsageError(f"The baseline {path!r} cannot be read: {error.strerror}.") from None
    except json.JSONDecodeError as error:
        raise _no_baseline(path, f"{error.msg[:1].lower()}{error.msg[1:]}", error.lineno) from None
    except RecursionError:
        raise _no_baseline(path, "it is nested too deeply") from None
    except (ValueError, LookupError, TypeError):
        raise _no_baseline(path, f"it has no list `accepted` of objects with {', '.join(KEYS)}") from None


def _no_baseline(path: str, reason: str, line: int | None = None) -> UsageError:
    hint = "Name another file; --update-baseline writes it."
    return UsageError(f"{path!r} is no baseline: {reason}.", hint=hint, file=os.path.abspath(path), line=line)
