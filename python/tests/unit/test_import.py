from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

import spark_eventhubs
from spark_eventhubs.cli import main

if TYPE_CHECKING:
    import pytest

# -S leaves installed packages out, and so the metadata of this one.
PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); import spark_eventhubs; print(spark_eventhubs.__version__)"


def test_the_package_imports_from_a_zip_that_is_not_installed(tmp_path: Path) -> None:
    source = Path(spark_eventhubs.__file__).parent
    skipped = shutil.ignore_patterns("jars", "java_home", "__pycache__")
    shutil.copytree(source, tmp_path / "source" / source.name, ignore=skipped)
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", tmp_path / "source")

    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, archive], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stdout.strip()) == (0, "unknown"), ran.stderr


def test_the_command_prints_a_version_without_installed_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", not_installed)

    done = CliRunner().invoke(main, ["--version"], prog_name="spark-eventhubs")

    assert (done.exit_code, done.stdout) == (0, f"spark-eventhubs, version {spark_eventhubs.__version__}\n")
