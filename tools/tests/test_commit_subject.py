"""The hook for commits accepts the subjects that CONTRIBUTING.md asks for."""

from __future__ import annotations

import re

import pytest

from run_tests import ROOT

CONFIG = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
[ENTRY] = re.findall(r"id: commit-subject\n.*\n +entry: '(.*)'", CONFIG)
LONGEST = "core: " + "x" * 66


@pytest.mark.parametrize(
    ("message", "is_accepted"),
    [
        ("core: do not delete records of unfinished versions\n\nThey are read again.\n", True),
        ("core, python: keep the order of retries", True),
        (LONGEST, True),
        (f"{LONGEST}x", False),
        (f"{LONGEST}x\n\ncore: a body does not help", False),
        ("fixes", False),
        ("Core: begins with a capital", False),
        ("core:no space", False),
        ("", False),
        ("Merge branch 'main' into another-branch-with-a-name-that-is-as-long-as-names-of-branches-are", True),
    ],
)
def test_a_subject_says_where_and_what(message: str, *, is_accepted: bool) -> None:
    # As pre-commit searches with `--multiline`.
    found = re.search(ENTRY, message, re.MULTILINE | re.DOTALL)
    assert (found is not None) == is_accepted
