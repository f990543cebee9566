"""Pages that are whole programs, and the example of a test, each in a process of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pages import DOCS, GUIDES, blocks, printed, program_of, starts_a_session
from processes import FEW_PARTITIONS, output_of

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = [page for page in GUIDES if starts_a_session(page)]

pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.stem)
def test_a_page_that_starts_a_session_is_a_whole_program(page: Path, tmp_path: Path) -> None:
    program = tmp_path / "page.py"
    program.write_text(program_of(page), encoding="utf-8")

    output = output_of([sys.executable, program], cwd=tmp_path, env=FEW_PARTITIONS, seconds=400)

    assert printed(page)
    assert printed(page) in output


def test_the_examples_of_tests_pass_and_notice_a_wrong_pipeline(tmp_path: Path) -> None:
    example, sign_in = [
        block.text for block in blocks(DOCS / "guides" / "testing.md") if block.mark == "tested: pytest"
    ]
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for number, threshold in enumerate(("> 30", "> 10")):
        (tmp_path / f"test_example{number}.py").write_text(example.replace("> 30", threshold), encoding="utf-8")
    (tmp_path / "test_sign_in.py").write_text(sign_in, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--timeout", "300"]

    assert "2 passed" in output_of([*command, "test_example0.py", "test_sign_in.py"], cwd=tmp_path, env=FEW_PARTITIONS)
    with pytest.raises(AssertionError, match="1 failed"):
        output_of([*command, "test_example1.py"], cwd=tmp_path, env=FEW_PARTITIONS)
