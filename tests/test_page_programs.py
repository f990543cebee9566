"""Pages that are whole programs, each in a process of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from pages import GUIDES, printed, program_of, starts_a_session
from processes import SPARK_ENVIRONMENT, output_of

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = [page for page in GUIDES if starts_a_session(page)]

pytestmark = pytest.mark.timeout(600)


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.stem)
def test_a_page_that_starts_a_session_is_a_whole_program(page: Path, tmp_path: Path) -> None:
    program = tmp_path / "page.py"
    program.write_text(program_of(page), encoding="utf-8")

    output = output_of([sys.executable, program], cwd=tmp_path, env=SPARK_ENVIRONMENT, seconds=400)

    assert printed(page)
    assert printed(page) in output
