"""Runs the Python and SQL of the guides, each page from top to bottom, and compares what it prints with the page.

The blocks of a page share their names. They find a session `spark` and the connection strings of two new hubs. A page
that starts a session is a program of its own (test_page_programs.py). Marks in the line above a block:

- `<!-- prints -->`: what the blocks above it print.
- `<!-- not run: why -->`: only compiled.
- `<!-- tested: pytest -->`: a test file; only compiled.
- `<!-- tested: ... -->`: another test runs it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pages import DOCS, GUIDES, ROOT, Block, blocks, is_run, printed, starts_a_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

RUN = [page for page in GUIDES if any(is_run(block) for block in blocks(page))]
IN_A_SESSION = [page for page in RUN if not starts_a_session(page)]

pytestmark = pytest.mark.timeout(600)


def name(page: Path) -> str:
    return str(page.relative_to(DOCS))


def code_of(block: Block) -> str:
    """The block behind as many empty lines as the page has, so that an error names the page's line."""
    return "\n" * (block.line - 1) + block.text


def run_sql(spark: SparkSession, statements: str) -> None:
    """Runs statements that create tables, and drops the tables."""
    try:
        for statement in filter(str.strip, statements.split(";\n")):
            spark.sql(statement).collect()
    finally:
        for table in re.findall(r"CREATE TABLE (\w+)", statements):
            spark.sql(f"DROP TABLE IF EXISTS {table}")


@pytest.mark.parametrize("page", IN_A_SESSION, ids=name)
def test_the_blocks_of_a_page_run_and_print_what_it_says(
    page: Path,
    *,
    spark: SparkSession,
    event_hub: LocalEventHub,
    another_hub: Callable[..., LocalEventHub],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {
        "spark": spark,
        "connection_string": event_hub.connection_string,
        "other_connection_string": another_hub().connection_string,
    }
    capfd.readouterr()

    for block in filter(is_run, blocks(page)):
        if block.language == "sql":
            run_sql(spark, block.text.replace("Endpoint=sb://...;EntityPath=telemetry", event_hub.connection_string))
        else:
            exec(compile(code_of(block), str(page), "exec"), names)  # noqa: S102 - code of our own page

    if printed(page):
        # Spark's progress bar, if any, goes to the other stream.
        assert capfd.readouterr().out.replace("\n\n", "\n").strip() == printed(page).strip()


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_each_python_block_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks(page):
        if block.language == "json":
            json.loads(block.text)
        if block.language == "python":
            compile(block.text, str(page), "exec")
            assert not block.mark or re.fullmatch(r"tested: \w+|not run: \w.*", block.mark), f"{page}:{block.line}"


def test_every_page_is_in_the_navigation_and_every_console_command_exists() -> None:
    import click  # noqa: PLC0415 - only this test needs it

    from spark_eventhubs.cli import main  # noqa: PLC0415 - as above

    assert isinstance(main, click.Group)
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [name(page) for page in GUIDES if f": {name(page)}\n" not in navigation] == []
    shown = {
        found
        for page in GUIDES
        for block in blocks(page)
        if block.language in ("bash", "console")
        for found in re.findall(r"^(?:\$ )?spark-eventhubs ([a-z]+)", block.text, re.MULTILINE)
    }
    assert shown
    assert shown <= set(main.commands)
