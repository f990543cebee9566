"""docs/architecture.md is the map, with its pages: what they name exists, and they leave no package out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import check_layers
import run_tests

ROOT = Path(__file__).resolve().parents[2]
INTERNALS = ROOT / "docs" / "internals"
MAP, READ, WRITE, WHERE, PACKAGES = (
    path.read_text(encoding="utf-8")
    for path in (
        ROOT / "docs" / "architecture.md",
        *(INTERNALS / f"{name}.md" for name in ("a-read", "a-write", "where-is", "packages")),
    )
)
SCALA = {
    path: path.read_text(encoding="utf-8")
    for module in ("core", "localhub")
    for path in (ROOT / module).rglob("*.scala")
    if "target" not in path.parts
}


def questions() -> list[tuple[str, str]]:
    """The rows of the tables of questions."""
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", WHERE, re.MULTILINE)
    return [(question, answer) for question, answer in rows if question != "question"]


def exists(name: str) -> bool:
    """Whether a class, a member of one, a package or a file of this name is there."""
    if "/" in name:
        return (ROOT / name).exists()
    owner, _, member = name.partition(".")
    if owner[0].islower():
        folder = name.replace(".", "/")
        return any(str(path.parent).endswith(folder) for path in SCALA)
    if name.endswith(".scala"):
        return any(path.name == name for path in SCALA)
    definition = re.compile(rf"\b(?:class|object|trait) {owner}\b")
    owners = [text for text in SCALA.values() if definition.search(text)]
    return any(re.search(rf"\b(?:def|val) {member}\b", text) for text in owners) if member else bool(owners)


@pytest.mark.parametrize(("question", "answer"), questions())
def test_an_answer_names_what_exists(question: str, answer: str) -> None:
    names = re.findall(r"`([^`]+)`", answer)
    assert names, question
    assert [name for name in names if not exists(name)] == []


def test_the_page_answers_the_questions_of_a_stranger() -> None:
    text = " ".join(question for question, _ in questions())
    for asked in (
        "option defined",
        "end offset",
        "link reopened",
        "exactly-once stamp",
        "epoch rule",
        "option in Python",
    ):
        assert asked in text


def test_every_package_of_core_has_a_row() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", PACKAGES.split("## Packages of `core`")[1].split("\n## ")[0], re.MULTILINE)
    full = {name.replace("…sql", "org.apache.spark.sql").replace("…", "org.apache.spark.") for name in rows}
    assert full == set(check_layers.LAYERS)


def test_every_package_of_the_hub_has_a_row() -> None:
    table = PACKAGES.split("## Packages of the local hub")[1].split("\n## ")[0]
    rows = set(re.findall(r"^\| `(localhub[\w.]*)` \|", table, re.MULTILINE))
    assert rows == set(check_layers.packages(check_layers.MAIN["localhub"]))


def test_every_folder_of_the_python_package_has_a_row() -> None:
    table = PACKAGES.split("## Packages of the Python package")[1].split("\n## ")[0]
    package = ROOT / "python" / "src" / "spark_eventhubs"
    folders = {path.name for path in package.iterdir() if path.is_dir()} - {"jars", "__pycache__"}
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == folders


def classes(page: str) -> set[str]:
    """The names of classes in a page."""
    return set(re.findall(r"`([A-Z]\w+)`", page)) - {"OUTCOME_UNKNOWN", "SparkRuntimeException"}


@pytest.mark.parametrize("page", [MAP, READ, WRITE], ids=["map", "read", "write"])
def test_every_class_that_a_page_names_exists(page: str) -> None:
    assert classes(page)
    assert sorted(name for name in classes(page) if not exists(name)) == []


@pytest.mark.parametrize(("page", "most"), [(READ, 73), (WRITE, 43)], ids=["read", "write"])
def test_a_path_does_not_grow(page: str, most: int) -> None:
    """What a maintainer has to know is counted, so that a new class replaces another one."""
    assert len(classes(page)) <= most


def test_the_layer_check_finds_a_wrong_import_and_a_public_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "core/src/main/scala/org/apache/spark/eventhubs/amqp"
    folder.mkdir(parents=True)
    package = "package org.apache.spark.eventhubs.amqp\n"
    wrong = f"{package}\nimport org.apache.spark.eventhubs.receive.ReceiverCache\n\nclass Wrong\n"
    (folder / "Wrong.scala").write_text(wrong, encoding="utf-8")
    monkeypatch.setattr(check_layers, "ROOT", tmp_path)
    assert [line.split(": ", 1)[1] for line in check_layers.direction()] == [
        "org.apache.spark.eventhubs.amqp must not import org.apache.spark.eventhubs.receive.{ReceiverCache}"
    ]
    assert [line.split(": ")[1] for line in check_layers.visibility()] == ["Wrong is public, and not for users"]


def test_the_layer_check_finds_a_test_that_no_runner_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_lost.py").touch()
    monkeypatch.setattr(check_layers, "ROOT", tmp_path)
    assert list(check_layers.lost_tests()) == [
        "tests/test_lost.py must be in a folder of tests/, which tools/run_tests.py runs"
    ]


def test_the_runners_of_tests_share_its_folders_and_leave_none_out() -> None:
    runs = [folder for folders in run_tests.folders_of_tests().values() for folder in folders]
    there = {path.relative_to(ROOT).parts[1] for path in (ROOT / "tests").rglob("test_*.py")}
    assert sorted(runs) == sorted(f"tests/{name}" for name in there)


def test_every_test_that_the_makefile_names_exists() -> None:
    named = re.findall(r"(?<![\w/])tests/[\w/.]+", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
