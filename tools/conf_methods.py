"""Generates the constructor and the `with_` methods of `EventHubsConf` from the option table of the Python package.

Run it with `make options`, which generates the table first. Without an argument it only compares.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from conf_texts import annotation, default, described, example, meaning, name_of
from spark_eventhubs import OPTIONS

if TYPE_CHECKING:
    from spark_eventhubs import OptionSpec

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "python" / "src" / "spark_eventhubs" / "_generated"
COMMAND = "make options"
SCOPES = {"connection": "Connection", "read": "Read", "write": "Write"}
WIDTH = 110


def paragraph(text: str, indent: str, hanging: str = "") -> str:
    """The text in lines that fit."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def method(spec: OptionSpec) -> str:
    """The `with_` method of one option."""
    name, indent = name_of(spec), " " * 8
    noqa = "  # noqa: FBT001" if spec.type == "boolean" else ""
    value = paragraph(f"value: {meaning(spec)}{default(spec)}", indent + "    ", "    ")
    return f'''    def with_{name}(self, value: {annotation(spec)}) -> EventHubsConf:{noqa}
        """Sets `{spec.key}`.

{paragraph(spec.doc, indent)}

        Args:
{value}

        Example:
            >>> conf.with_{name}({example(spec)})
        """
        return self._with_value("{spec.key}", value)
'''


def methods(scope: str) -> str:
    """The module with the methods of one scope."""
    specs = [spec for spec in OPTIONS if spec.scope == scope]
    return f'''{header(f"Options of the {scope} side" if scope != "connection" else "Options of the connection", specs)}

class {SCOPES[scope]}Methods(ConfBase):
    """A method for each option."""

{chr(10).join(method(spec) for spec in specs)}'''


def header(title: str, specs: list[OptionSpec], *, conf: bool = True) -> str:
    """Docstring and the imports that the annotations need."""
    used = " ".join(annotation(spec) for spec in specs)
    positions = [word for word in ("Key", "Position") if re.search(rf"\b{word}\b", used)]
    collections = [word for word in ("Mapping", "Sequence") if word in used]
    typing = ["TYPE_CHECKING", *(["Literal"] if "Literal" in used else [])]
    lines = [
        f"    from collections.abc import {', '.join(collections)}" if collections else "",
        "    from datetime import timedelta" if "timedelta" in used else "",
        "    from os import PathLike" if "PathLike" in used else "",
        "\n" if collections or "timedelta" in used or "PathLike" in used else "",
        f"    from spark_eventhubs._conf.position_values import {', '.join(positions)}" if positions else "",
        "    from spark_eventhubs.conf import EventHubsConf" if conf else "",
    ]
    return f'''"""{title}. Generated from the option table: change it there, and run `{COMMAND}`."""

from __future__ import annotations

from typing import {", ".join(typing)}

from spark_eventhubs._conf.base import ConfBase

if TYPE_CHECKING:
{chr(10).join(line.rstrip() for line in lines if line)}
'''


def constructor() -> str:
    """The module with the constructor, which has a keyword for each option."""
    first = header("The constructor of a conf", list(OPTIONS), conf=False)
    first = first.replace(
        "from spark_eventhubs._conf.base import ConfBase\n",
        "from spark_eventhubs._generated.connection import ConnectionMethods\n"
        "from spark_eventhubs._generated.read import ReadMethods\n"
        "from spark_eventhubs._generated.write import WriteMethods\n",
    )
    imports = (
        "    from spark_eventhubs._conf.azure_credentials import AzureCredential\n"
        "    from spark_eventhubs._conf.position_values import EndKey, Key, Position\n"
        "    from spark_eventhubs.credentials import Credential\n"
    )
    first = first.replace("    from spark_eventhubs._conf.position_values import Key, Position\n", imports)
    keywords = "\n".join(f"        {name_of(spec)}: {annotation(spec)} | None = None," for spec in OPTIONS)
    # Starts and ends may have keys of two types.
    keywords = keywords.replace("ending_positions: Mapping[Key,", "ending_positions: Mapping[EndKey,")
    arguments = "\n".join(paragraph(f"{name_of(spec)}: {described(spec)}", " " * 12, "    ") for spec in OPTIONS)
    values = "\n".join(f'                "{spec.key}": {name_of(spec)},' for spec in OPTIONS)
    return f'''{first}

class GeneratedConf(ConnectionMethods, ReadMethods, WriteMethods):
    """A conf with a keyword and a method for each option."""

    def __init__(
        self,
        *,
        credential: Credential | AzureCredential | None = None,
{keywords}
    ) -> None:
        """Sets the options that are not None.

        Args:
            credential: How to sign in, instead of a key in the connection string: a credential of spark_eventhubs
                or of azure.identity. Needs `fully_qualified_namespace`, and `eventhub_name` or `name_pattern`;
                a `ConnectionString` contains the namespace and may contain the name.
{arguments}

        Raises:
            OptionTypeError: A value of a wrong type.
            OptionError: A value of a wrong form, out of bounds, or in contradiction to another.
        """
        self._set_all(
            credential,
            {{
{values}
            }},
        )
'''


def formatted(text: str) -> str:
    """The text as `ruff format` writes it."""
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FOLDER / "x.py"), "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout


def generated() -> dict[str, str]:
    """The text of each file by its name."""
    init = f'"""Generated from the option table: change it there, and run `{COMMAND}`."""\n'
    texts = {"conf": constructor(), **{scope: methods(scope) for scope in SCOPES}}
    return {"__init__.py": init} | {f"{name}.py": formatted(text) for name, text in texts.items()}


def stale() -> list[str]:
    """Names of the files that differ from what would be generated."""
    return [
        name
        for name, text in generated().items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != text
    ]


def main() -> None:
    """Writes the files with `--write`, else compares."""
    if "--write" in sys.argv[1:]:
        FOLDER.mkdir(exist_ok=True)
        for name, text in generated().items():
            (FOLDER / name).write_text(text, encoding="utf-8")
    elif names := stale():
        sys.exit(f"{', '.join(names)} in {FOLDER} differ from the option table; run {COMMAND}")


if __name__ == "__main__":
    main()
