from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import spark_eventhubs

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
