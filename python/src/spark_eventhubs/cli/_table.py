"""Prints a table: with lines in a terminal, as plain columns in a pipe or a file."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from spark_eventhubs.cli._exit_codes import output

Row = Sequence[str]


def print_table(headers: Row, rows: Sequence[Row], footer: Row | None = None) -> None:
    """Prints rows of equal length. Numbers are aligned on the right."""
    if sys.stdout.isatty():
        Console().print(rich_table(headers, rows, footer))
        return
    lines = [headers, *rows, *([] if footer is None else [footer])]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    right = _is_number_column(headers, rows)
    for line in lines:
        cells = [
            cell.rjust(width) if aligned else cell.ljust(width)
            for cell, width, aligned in zip(line, widths, right, strict=True)
        ]
        output("  ".join(cells).rstrip())


def rich_table(headers: Row, rows: Sequence[Row], footer: Row | None = None) -> Table:
    """The table for a terminal."""
    table = Table(show_footer=footer is not None)
    right = _is_number_column(headers, rows)
    for column, header in enumerate(headers):
        table.add_column(
            header, footer="" if footer is None else footer[column], justify="right" if right[column] else "left"
        )
    for row in rows:
        # Texts, because rich reads brackets as markup.
        table.add_row(*map(Text, row))
    return table


def count(number: int | None) -> str:
    """A number for people; `-` where there is none."""
    return "-" if number is None else f"{number:,}"


def _is_number_column(headers: Row, rows: Sequence[Row]) -> list[bool]:
    return [
        all(row[column] == "-" or row[column].lstrip("-+").replace(",", "").isdigit() for row in rows)
        for column in range(len(headers))
    ]
