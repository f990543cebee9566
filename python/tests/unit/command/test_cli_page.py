"""docs/cli.md describes the commands that there are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from spark_eventhubs.cli import main

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMON = {"--connection-string", "--hub", "--option", "--help", "-h", "--version"}


def options(command: click.Command) -> set[str]:
    own = {text for each in command.params for text in each.opts if text.startswith("-")}
    if isinstance(command, click.Group):
        own |= {text for each in command.commands.values() for text in options(each)}
    return own


@pytest.mark.parametrize("name", sorted(set(main.commands) - {"hub"}))
def test_the_page_has_all_options_of_a_command_and_no_other(name: str) -> None:
    section = PAGE[PAGE.index(f"\n## {name}\n") + 1 :].split("\n## ")[0]
    described = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", re.sub(r"```.*?```", "", section, flags=re.DOTALL)))

    there = options(main.commands[name]) - COMMON
    assert there - described == set()
    assert described - there <= {"--from"} | COMMON


def test_the_page_has_a_row_for_each_command() -> None:
    assert re.findall(r"^\| \[`(\w+)`\]\(#\1\) \|", PAGE, re.MULTILINE) == list(main.commands)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_documented_completion_is_a_script_of_the_shell(shell: str) -> None:
    command = f"_SPARK_EVENTHUBS_COMPLETE={shell}_source"
    assert command in PAGE

    # click names the variable after the program, so the program needs its installed name.
    program = "import sys; from spark_eventhubs.cli import main; main(prog_name='spark-eventhubs')"
    done = subprocess.run(
        ["env", command, sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert "spark-eventhubs" in done.stdout
    assert "_SPARK_EVENTHUBS_COMPLETE" in done.stdout


def test_completion_knows_the_commands_of_checkpoint() -> None:
    variables = ["_SPARK_EVENTHUBS_COMPLETE=bash_complete", "COMP_WORDS=spark-eventhubs checkpoint re", "COMP_CWORD=2"]
    done = subprocess.run(
        ["env", *variables, sys.executable, "-m", "spark_eventhubs"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stdout == "plain,reset\n"


def test_a_missing_connection_string_names_the_variable_that_sets_it() -> None:
    failed = CliRunner().invoke(main, ["tail"], env={"EVENTHUBS_CONNECTION_STRING": None})

    assert failed.exit_code == 2
    assert "--connection-string" in failed.stderr
    assert "EVENTHUBS_CONNECTION_STRING" in failed.stderr
