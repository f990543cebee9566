"""tools/check_prose.py finds what it is there to find, and passes what it should pass."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import check_prose

if TYPE_CHECKING:
    from pathlib import Path

LONG = "word " * 30


@pytest.mark.parametrize("text", [LONG, f"- {LONG}", f"> {LONG}", f"```\ncode\n```\n{LONG}"])
def test_a_long_prose_line_is_found(text: str) -> None:
    assert [line for line, _ in check_prose.long_lines(f"# Title\n\n{text}\n")] == [2 + len(text.splitlines())]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 120,
        f"| {LONG} |",
        f"[guide]: https://example.org/{'x' * 120}",
        f"```text\n{LONG}\n```",
        f"````\n```\n{LONG}\n````",
        f"- a step:\n\n  ```bash\n  {LONG}\n  ```",
    ],
)
def test_a_table_a_code_block_and_a_link_definition_may_be_long(text: str) -> None:
    assert check_prose.long_lines(text) == []


@pytest.mark.parametrize("word", check_prose.WORDS)
def test_each_forbidden_word_is_found_in_any_case_and_over_the_end_of_a_line(word: str) -> None:
    assert [line for line, _ in check_prose.forbidden(f"first\nIt says {word.capitalize()}, here.")] == [2]
    for leader in ("", "// ", " * ", "# "):
        assert check_prose.forbidden(word.replace(" ", f"\n{leader}", 1))


@pytest.mark.parametrize("word", check_prose.WORDS)
def test_a_longer_word_is_not_a_forbidden_one(word: str) -> None:
    assert check_prose.forbidden(f"x{word}x") == []


@pytest.mark.parametrize("start", ["// ", "  /** ", "   * ", "# "])
def test_a_long_comment_line_is_found(start: str) -> None:
    longest = start + "a" * (120 - len(start))
    assert [line for line, _ in check_prose.long_comments(f"{longest}\n{longest}b\n")] == [2]
    assert check_prose.check("a.scala", f"{longest}b\n") == ["a.scala:1: a comment line of 121 characters; at most 120"]


def test_a_line_of_code_and_other_files_have_no_limit() -> None:
    assert check_prose.check("a.scala", f'val a = "{"a " * 100}"\n') == []
    assert check_prose.check("a.html", f"<p>{'a ' * 100}</p>\n") == []


def test_the_tracked_files_of_a_repository_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    bad = f"never {check_prose.WORDS[0]}\n"
    for name in ("Good.scala", "untracked.py", "data.csv"):
        (tmp_path / name).write_text("fine\n" if name == "Good.scala" else bad, encoding="utf-8")
    subprocess.run(["git", "add", "Good.scala", "data.csv"], cwd=tmp_path, check=True)
    assert check_prose.main(tmp_path) == 0
    (tmp_path / check_prose.CATALOGUE).parent.mkdir(parents=True)
    (tmp_path / check_prose.CATALOGUE).write_text(bad, encoding="utf-8")
    (tmp_path / "notes.md").write_text(f"\n{bad}", encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    capsys.readouterr()
    assert check_prose.main(tmp_path) == 1
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in printed] == [f"{check_prose.CATALOGUE}:1", "notes.md:2", "untracked.py:1"]


def test_the_checker_finds_nothing_in_itself() -> None:
    path = check_prose.ROOT / "tools" / "check_prose.py"
    assert check_prose.check("tools/check_prose.py", path.read_text(encoding="utf-8")) == []
