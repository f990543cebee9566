"""Generates the types and meanings of the keywords of `EventHubsConf` from the option table of the Python package.

Run it with `make options`, which generates the table first. Without an argument it only compares.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spark_eventhubs import OPTIONS
from spark_eventhubs._option_spec import PATHS

if TYPE_CHECKING:
    from spark_eventhubs import OptionSpec

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "python" / "src" / "spark_eventhubs" / "_conf" / "conf_options.py"
COMMAND = "make options"

CREDENTIAL = (
    "How to sign in, instead of a key in the connection string: a credential of spark_eventhubs or of azure.identity. "
    "Needs `fully_qualified_namespace`, and `eventhub_name` or `name_pattern`; a `ConnectionString` contains the "
    "namespace and may contain the name."
)
ANNOTATIONS = {
    "text": "str",
    "int": "int",
    "long": "int",
    "bytes": "int | str",
    "boolean": "bool",
    "duration": "timedelta | str",
    "position": "Position",
    "positions": "Positions",
    "partitions": "Sequence[int] | str",
    "names": "str | Sequence[str]",
}


def annotation(spec: OptionSpec) -> str:
    """The type of the option's value."""
    if "|" in spec.type:
        return f"Literal[{', '.join(repr(word) for word in spec.type.split('|'))}]"
    if spec.key in PATHS:
        return "str | PathLike[str]"
    return "str | int" if spec.key == "eventhubs.partitionKey" else ANNOTATIONS[spec.type]


def meaning(spec: OptionSpec) -> str:
    """What the option means, and its default."""
    return spec.doc if spec.default is None else f"{spec.doc} Default: `{spec.default}`."


def module() -> str:
    """The generated module."""
    specs = [spec for spec in OPTIONS if spec.keyword]
    keywords = "\n".join(f"    {spec.keyword}: {annotation(spec)} | None" for spec in specs)
    meanings = "\n".join(f"        {spec.keyword}: {meaning(spec)}" for spec in specs)
    return f'''# ruff: noqa: E501 - a line for each keyword
"""The types of a conf's keywords. Generated from the option table by `{COMMAND}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from os import PathLike

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs._conf.position_values import Position, Positions
    from spark_eventhubs.credentials import Credential


class ConfOptions(TypedDict, total=False):
    """The keywords of `EventHubsConf` and `replace`. None means not set, and `replace` removes the option.

    Attributes:
        credential: {CREDENTIAL}
{meanings}
    """

    credential: Credential | AzureCredential | None
{keywords}
'''


def generated() -> str:
    """The generated module as `ruff format` writes it."""
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"],
        input=module(),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout


def is_current() -> bool:
    """Whether the file is what would be generated."""
    return FILE.is_file() and FILE.read_text(encoding="utf-8") == generated()


def main() -> None:
    """Writes the file with `--write`, else compares."""
    if "--write" in sys.argv[1:]:
        FILE.write_text(generated(), encoding="utf-8")
    elif not is_current():
        sys.exit(f"{FILE} differs from the option table; run {COMMAND}")


if __name__ == "__main__":
    main()
