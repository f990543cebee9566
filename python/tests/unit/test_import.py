from __future__ import annotations

import ast
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


def test_the_package_has_at_most_a_hundred_public_names() -> None:
    root = Path(spark_eventhubs.__file__).parent
    paths = [file.relative_to(root) for file in root.rglob("*.py")]
    public = [
        root / path
        for path in paths
        if not path.name.startswith("__m") and "/_" not in f"/{path}".replace("__init__", "")
    ]
    names = {
        name for file in public for node in ast.parse(file.read_text(encoding="utf-8")).body for name in named(node)
    }

    assert 50 < len([name for name in names if not name.startswith("_")]) <= 100


def named(node: ast.stmt) -> list[str]:
    """The names that a statement of a file defines, and those that `__all__` lists."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    listed = node.value.elts if isinstance(node, ast.Assign) and isinstance(node.value, ast.List) else []
    exported = [str(each.value) for each in listed if isinstance(each, ast.Constant)]
    return [target.id for target in targets if isinstance(target, ast.Name)] + exported
