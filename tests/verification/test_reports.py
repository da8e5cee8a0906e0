"""The reports of the run over the project, as their readers need them."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from gradcli.shared.records.checks import Comparison, Component, Verdict
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.records.verification import CaseResult, CodeLocation, GradientCase, Verification
from gradcli.verification.reports import report_text
from gradcli.verification.reports.github import workflow_commands
from gradcli.verification.reports.junit import classname
from tests.verification.conftest import FORMATS, Finished


def strings(value: Any) -> list[str]:
    """All texts of a report."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


def test_junit(finished: Finished) -> None:
    """Unique names, counts that agree, what is said of a failure in its content."""
    root = ElementTree.parse(finished.report("junit")).getroot()
    (suite,) = root
    cases = suite.findall("testcase")
    kinds = [child.tag for case in cases for child in case if child.tag != "system-out"]

    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert 40 == len({case.get("name") for case in cases}) == int(suite.get("tests", ""))
    assert {"failures": 4, "errors": 3, "skipped": 8} == {
        word: int(suite.get(word, "")) for word in ("failures", "errors", "skipped")
    }
    assert tuple(kinds.count(word) for word in ("failure", "error", "skipped")) == (4, 3, 8)
    (wrong,) = (case for case in cases if case.get("name") == "wrong method")
    assert wrong.get("classname") == "models"
    assert "FAIL x[0]: candidate 8.0, reference 4.0; off by 4" in str(wrong[0].text)
    assert "reproduce: gradcli check models.py:problem.fun" in str(wrong[0].text)


@pytest.mark.parametrize("form", sorted(FORMATS.keys() - {"json"}))
def test_paths_are_from_the_root(form: str, finished: Finished) -> None:
    text = finished.report(form).read_text(encoding="utf-8")

    assert str(finished.folder) not in text
    assert "in hard.py:25 in crashing" in text


def test_paths_in_json_are_from_the_root(finished: Finished) -> None:
    """But for those of the comparison, which is as `check --json` writes it."""
    cases = [{**case, "comparison": None} for case in finished.data("json")["cases"]]

    assert not [text for text in strings(cases) if str(finished.folder) in text]
    assert {"pyproject.toml", "hard.py", "src/shapes/area.py"} <= {case["file"] for case in cases}


def test_sarif(finished: Finished) -> None:
    """Rules for all that is used, places below the repository, fingerprints, no empty texts."""
    report = finished.data("sarif")
    (run,) = report["runs"]
    rules = run["tool"]["driver"]["rules"]
    results = run["results"]

    assert report["version"] == "2.1.0"
    assert "" not in strings(report)
    assert [each["ruleId"] for each in results] == [rules[each["ruleIndex"]]["id"] for each in results]
    assert {"fail", "nonfinite", "raised", "crashed", "timeout", "inconclusive"} <= {each["id"] for each in rules}
    for rule in rules:
        assert {"id", "name", "shortDescription", "fullDescription", "help", "defaultConfiguration"} <= rule.keys()
    for each in results:
        place = each["locations"][0]["physicalLocation"]
        assert (finished.folder / place["artifactLocation"]["uri"]).is_file()
        assert 1 <= place["region"]["startLine"] <= place["region"]["endLine"]
        assert each["partialFingerprints"]
    (wrong,) = (each for each in results if "problem.wrong" in each["message"]["text"] and each["ruleId"] == "fail")
    assert wrong["locations"][0]["physicalLocation"]["region"] == {"startLine": 58, "startColumn": 5, "endLine": 59}
    assert wrong["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 46


def test_gitlab(finished: Finished) -> None:
    """A list of issues, each with a fingerprint of its own."""
    issues = finished.data("gitlab")

    assert 7 == len(issues) == len({each["fingerprint"] for each in issues})
    for each in issues:
        assert each.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert each["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not each["location"]["path"].startswith(("/", "."))
        assert each["location"]["lines"]["begin"] > 0
    assert any(each["description"].endswith("; the gradient by x is twice the derivative") for each in issues)


def test_json(finished: Finished) -> None:
    """The verdict, the counts, the cases with their comparisons."""
    report = finished.data("json")
    (wrong,) = (each for each in report["cases"] if each["name"] == "wrong method")

    assert tuple(report[key] for key in ("schema", "command", "verdict", "exit")) == ("gradcli/1", "verify", "fail", 1)
    assert {"pass": 25, "fail": 4, "crashed": 1}.items() <= report["counts"].items()
    assert wrong["derivative"] == {"file": "models.py", "line": 58, "end_line": 59}
    assert [row["name"] for row in wrong["comparison"]["components"]] == ["x[0]", "x[1]"]


def test_markdown(finished: Finished) -> None:
    """A table of what did not pass, and the failures folded."""
    text = finished.report("markdown").read_text(encoding="utf-8")

    assert text.startswith("## gradcli verify: fail\n\n40 cases: 25 pass, ")
    assert "| ❌ | wrong method | fail | FAIL x&#91;0&#93; 8.0 for 4.0 and 1 more |" in text
    assert 7 == text.count("<details><summary>") == text.count("</details>")


class Checked(HTMLParser):
    """A reader that knows what is open, and what is loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.links += [str(known[name]) for name in ("src", "href") if name in known]
        self.ids += [str(known["id"])] if "id" in known else []


def test_html(finished: Finished) -> None:
    text = finished.report("html").read_text(encoding="utf-8")
    page = Checked()
    page.feed(text)

    assert 7 == len(page.links) == len(page.ids)
    assert {f"#{each}" for each in page.ids} == set(page.links)
    assert "prefers-color-scheme:dark" in text
    assert "   58      def wrong(self, x):\n   59          return 2 * self.a @ x" in text


def result(name: str, outcome: str = "fail", message: str = "wrong") -> CaseResult:
    case = GradientCase(name, "a.py:f", "a.py:g", folder="/repo", file="/repo/a.py", line=3)
    return CaseResult(case, outcome, message, derivative=CodeLocation("/repo/a.py", 3, 4))  # type: ignore[arg-type]


def test_workflow_commands_are_ten_of_each_kind() -> None:
    results = [result(f"case {n}") for n in range(12)] + [result("odd, name: x", "inconclusive", "50 %\nmore")]
    lines = workflow_commands(Verification(tuple(results), root="/repo")).splitlines()

    assert sum(line.startswith("::error file=a.py,line=3,endLine=4,title=gradcli%3A case ") for line in lines) == 10
    assert "::warning file=a.py,line=3,endLine=4,title=gradcli%3A odd%2C name%3A x::50 %25%0Amore" in lines
    assert "::notice title=gradcli::2 more errors are in the log" in lines


@pytest.mark.parametrize("form", ["junit", "markdown", "html", "sarif", "gitlab", "json"])
def test_hostile_texts_stay_texts(form: str) -> None:
    hostile = "<script>alert(1)</script> & | ``` \x1b[31m \ud800"
    text = report_text(Verification((result(hostile, message=hostile),), root="/repo"), form)

    if form in ("markdown", "html"):
        assert not re.search(r"<script", re.sub(r"(?s)````text.*````\n", "", text))
    if form == "junit":
        ElementTree.fromstring(text.encode())
    assert text.encode("utf-8", "backslashreplace")


MARKDOWN = [
    "![i](http://127.0.0.1/x.png)", "[click](http://127.0.0.1)", "http://127.0.0.1", "www.example.org",
    "me@example.org @someone", "#12", "`code` **bold** _it_ ~~gone~~ $x$", "a\n\n# Heading out of the table",
    "| a | b |", "<img src=x>", "</summary></details>", "\\[x\\](y)",
]  # fmt: skip


@pytest.mark.parametrize("text", MARKDOWN)
def test_markdown_shows_names_and_messages_as_they_are(text: str) -> None:
    report = report_text(Verification((result(text, message=text),), root="/repo"), "markdown")
    outside = re.sub(r"(?s)```text.*?\n```\n", "", report)
    shown = " ".join(text.split())

    assert not re.search(r"[\[\]`*_~@$\\]|://|www\.", outside)
    assert (len(re.findall(r"(?m)(?<!&)#+ ", outside)), outside.count("| ---") - 2) == (1, 2)
    (summary,) = re.findall(r"<details><summary>(.*)</summary>\n", outside)
    (row,) = re.findall(r"(?m)^\| ❌ \| (.*) \| fail \| (.*) \|$", outside)
    assert (shown, (shown, shown)) == (unescape(summary), tuple(map(unescape, row)))


@pytest.mark.parametrize("sign", ["\x1b[31m", "\u202e", "\u2066", "\x00", "\x85"])
def test_no_control_character_is_in_a_summary(sign: str) -> None:
    report = Verification((result(f"a{sign}b", message=f"c{sign}d"),), root="/repo")

    for text in (report_text(report, "markdown"), workflow_commands(report)):
        assert text.replace("\n", "").isprintable()


VANISHING = Finding("G305", "warning", "the gradient is zero here; also checked at x=0.1: fail")


@pytest.mark.parametrize("form", FORMATS)
def test_a_gradient_that_is_wrong_beside_the_point_is_in_every_report(form: str) -> None:
    right = Component("x", Verdict.PASS, 0.0, 0.0, 0.0, None, 0.0, 0.0, 0.0, "exact")
    compared = Comparison("a.py:f", "a.py:g", {"x": 0.0}, 0.0, "pass", (right,), findings=(VANISHING,))
    passed = result("f", "pass", "wrong beside it [G305]").changed(comparison=compared)
    clean = result("h", "pass", "1 component").changed(comparison=compared.changed(findings=()))

    text = report_text(Verification((passed, clean)), form)

    assert all(part in text for part in ("wrong beside it", "also checked at x=0.1: fail", "G305"))
    assert "::warning " in workflow_commands(Verification((passed,)))
    assert workflow_commands(Verification((clean,))) == ""


def test_an_empty_report() -> None:
    empty = Verification((), root="/repo")

    assert (empty.verdict, empty.exit) == ("unchecked", 6)
    assert all(report_text(empty, form) for form in ("junit", "markdown", "html", "sarif", "gitlab", "json"))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("models.py:f", "models"),
        ("src/models.py:Model.f", "src.models"),
        ("package.module:f", "package.module"),
        ("models.py:lambda x: x ** 3", "models"),
        ("src/models.py:lambda x, y: {x: y}[x]", "src.models"),
        ("x**2", "x**2"),
    ],
)
def test_the_class_of_a_case(target: str, expected: str) -> None:
    assert classname(target) == expected
