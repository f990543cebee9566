"""The guide's table of options is made from the table of this engine. `UPDATE=1` writes it."""

from __future__ import annotations

import os
from pathlib import Path

from spark_eventhubs import OPTIONS
from spark_eventhubs.pure._options_here import HAS, LACKS, ONLY_VALUE

PAGE = Path(__file__).parents[4] / "docs/guides/without-a-jar.md"
START, END = "<!-- generated: options -->\n", "\n## How fast it is"


def table() -> str:
    """Both engines side by side; the jar has all options."""
    rows = ["| Option | Jar | Python |", "|---|---|---|"]
    for spec in (each for each in OPTIONS if each.scope != "registry"):
        only, why = ONLY_VALUE.get(spec.key, ("", LACKS.get(spec.key, "")))
        here = "yes" if spec.key in HAS else f"only `{only}`: {why}" if only else f"no: {why}"
        rows.append(f"| `{spec.key}` | yes | {here} |")
    return "\n".join(rows) + "\n"


def test_the_guide_has_the_options_of_both_engines() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(START)[0], page.split(END)[1]
    expected = f"{before}{START}\n{table()}{END}{after}"
    if os.environ.get("UPDATE"):
        PAGE.write_text(expected, encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == expected
