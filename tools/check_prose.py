"""Checks the language of the repository: short prose lines, and no words that are not plain English."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 120
CATALOGUE = "core/src/main/resources/error/eventhubs-error-conditions.json"
COMMENTED = {".scala", ".sbt", ".java", ".py", ".js", ".go"}
READ = {".md", ".scala", ".sbt", ".java", ".py", ".js", ".ts", ".go", ".html", ".toml", ".yml", ".yaml"}

# A tilde hides each entry from `git grep`, which must find none of them in the repository.
WORDS = [
    word.replace("~", "")
    for word in (
        "an~ew",
        "be~side",
        "neither ~so nor so",
        "is ~told",
        "are ~told",
        "holds ~it to",
        "goes ~on",
        "a moment ~ago",
        "slip ~of the pen",
        "made ~sure of",
    )
]
COMMENT = r"\s*(//|/\*|\*|#)"

# A comment continues on the next line behind one of these.
BETWEEN_WORDS = r"\s+(?:(?://|\*|#|>)\s*)?"


class Finding(NamedTuple):
    """A place that has to be changed."""

    line: int
    message: str


def long_lines(markdown: str) -> list[Finding]:
    """Prose lines that are too long. Tables, code blocks and definitions of links may be."""
    found = []
    fence = ""
    for number, line in enumerate(markdown.splitlines(), 1):
        text = line.strip()
        mark = re.match(r"`{3,}|~{3,}", text)
        if mark and not fence:
            fence = mark[0]
        elif fence:
            if text.startswith(fence) and not text.strip(fence[0]):
                fence = ""
        elif len(line) > LONGEST and not text.startswith("|") and not re.match(r"\[[^\]]+\]: ", text):
            found.append(Finding(number, f"a prose line of {len(line)} characters; at most {LONGEST}"))
    return found


def long_comments(code: str) -> list[Finding]:
    """Comment lines that are too long. Code has the formatters, which leave comments alone."""
    return [
        Finding(number, f"a comment line of {len(line)} characters; at most {LONGEST}")
        for number, line in enumerate(code.splitlines(), 1)
        if len(line) > LONGEST and re.match(COMMENT, line)
    ]


def forbidden(text: str) -> list[Finding]:
    """Words that are not plain English, also over the end of a line."""
    found = []
    for word in WORDS:
        pattern = r"\b" + BETWEEN_WORDS.join(map(re.escape, word.split())) + r"\b"
        found += [
            Finding(line_of(text, match), f"'{word}' is not plain English")
            for match in re.finditer(pattern, text, re.IGNORECASE)
        ]
    return sorted(found)


def line_of(text: str, match: re.Match[str]) -> int:
    """Number of the line in which it begins."""
    return text.count("\n", 0, match.start()) + 1


def check(path: str, text: str) -> list[str]:
    """What is wrong with a file of the repository, each as `file:line: message`."""
    found = forbidden(text)
    if path.endswith(".md"):
        found += long_lines(text)
    elif Path(path).suffix in COMMENTED:
        found += long_comments(text)
    return [f"{path}:{line}: {message}" for line, message in sorted(found)]


def tracked(root: Path) -> list[str]:
    """The files under `root` that git knows and this looks at."""
    listed = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout
    return [
        path
        for path in listed.splitlines()
        if (Path(path).suffix in READ or path in (CATALOGUE, "Makefile")) and (root / path).exists()
    ]


def main(root: Path) -> int:
    """Prints what is wrong in the repository; 1 if there is anything."""
    wrong = [line for path in tracked(root) for line in check(path, (root / path).read_text(encoding="utf-8"))]
    print("\n".join(wrong) or "The prose is in order.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(ROOT))
