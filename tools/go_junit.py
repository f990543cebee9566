"""Converts the output of `go test -json` to a JUnit report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

OUTCOMES = ("pass", "fail", "skip")


def write_report(lines: Iterable[str], report: Path) -> None:
    """Prints the output immediately. Each test without subtests becomes a test case of the report.

    A test or package that failed without a failed subtest becomes a test case too.
    """
    output: dict[tuple[str, str], list[str]] = {}
    outcomes: dict[tuple[str, str], str] = {}
    for line in lines:
        event = parse(line)
        name = (event.get("Package", ""), event.get("Test", ""))
        if event["Action"] == "output":
            output.setdefault(name, []).append(event["Output"])
            print(event["Output"], end="", flush=True)
        elif event["Action"] in OUTCOMES:
            outcomes[name] = event["Action"]
    suite = ElementTree.Element("testsuite", name="go")
    for (package, test), outcome in outcomes.items():
        below = [other for name, other in outcomes.items() if belongs(name, package, test)]
        if (below and outcome != "fail") or "fail" in below:
            continue
        case = ElementTree.SubElement(suite, "testcase", classname=package, name=test or "package")
        if outcome == "fail":
            ElementTree.SubElement(case, "failure").text = "".join(output.get((package, test), []))
        elif outcome == "skip":
            ElementTree.SubElement(case, "skipped")
    ElementTree.ElementTree(suite).write(report, encoding="unicode", xml_declaration=True)


def parse(line: str) -> dict[str, str]:
    """The event of a line. A line that is no event, such as a compiler message, becomes an output event."""
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        return {"Action": "output", "Output": line}
    return event if isinstance(event, dict) else {"Action": "output", "Output": line}


def belongs(name: tuple[str, str], package: str, test: str) -> bool:
    """Whether `name` is a subtest of the test, or a test of the package when `test` is empty."""
    return name[0] == package and (name[1].startswith(f"{test}/") if test else name[1] != "")
