"""Each check of the wheels and the sdists can fail: it is given something that must not be published."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from archives import tarred, without, zipped
from release import dists

METADATA = """Metadata-Version: 2.4
Name: spark-eventhubs
Version: 1.2.3
Summary: Event Hubs
Author: The authors
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.10
Requires-Dist: spark-eventhubs-core==1.2.3
Classifier: Typing :: Typed
Project-URL: Homepage, https://example.invalid
Description-Content-Type: text/markdown

# spark-eventhubs
"""

WHEEL = "spark_eventhubs-1.2.3-py3-none-any.whl"
INFO = "spark_eventhubs-1.2.3.dist-info"
GOOD_WHEEL = {
    "spark_eventhubs_jars/__init__.py": "",
    "spark_eventhubs_jars/a.jar": "jar",
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/licenses/LICENSE": "Apache License",
    f"{INFO}/licenses/NOTICE": "spark-eventhubs",
    f"{INFO}/sboms/a.cdx.json": "{}",
}
IN_SDIST = ("hatch_build.py", "src/spark_eventhubs_jars/__init__.py", "src/spark_eventhubs_jars/a.jar")
GOOD_SDIST = dict.fromkeys((*dists.SDIST_FILES, *IN_SDIST), "text") | {"PKG-INFO": METADATA}

CORE_WHEEL = "spark_eventhubs_core-1.2.3-py3-none-any.whl"
CORE_INFO = "spark_eventhubs_core-1.2.3.dist-info"
GOOD_CORE_WHEEL = {
    "spark_eventhubs/__init__.py": "",
    "spark_eventhubs/py.typed": "",
    f"{CORE_INFO}/METADATA": METADATA.replace("Name: spark-eventhubs", "Name: spark-eventhubs-core"),
    f"{CORE_INFO}/entry_points.txt": "[console_scripts]",
    f"{CORE_INFO}/licenses/LICENSE": "Apache License",
    f"{CORE_INFO}/licenses/NOTICE": "spark-eventhubs",
}


def wheel_complaints(folder: Path, files: dict[str, str], name: str = WHEEL) -> list[str]:
    return dists.wheel_complaints(dists.JARS, zipped(folder / name, files), "1.2.3", {"a.jar": b"jar"})


def core_complaints(folder: Path, files: dict[str, str]) -> list[str]:
    return dists.wheel_complaints(dists.CORE, zipped(folder / CORE_WHEEL, files), "1.2.3", {})


def sdist_complaints(folder: Path, files: dict[str, str]) -> list[str]:
    return dists.sdist_complaints(dists.JARS, tarred(folder / "a.tar.gz", files), "1.2.3", ["a.jar"])


def test_complete_wheels_pass(tmp_path: Path) -> None:
    assert wheel_complaints(tmp_path, GOOD_WHEEL) == []
    assert core_complaints(tmp_path, GOOD_CORE_WHEEL) == []


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("spark_eventhubs_jars/__init__.py", "__init__.py is missing"),
        ("spark_eventhubs_jars/a.jar", "a.jar is missing or not the one that was built"),
        (f"{INFO}/METADATA", "METADATA is missing"),
        (f"{INFO}/licenses/LICENSE", "licenses/LICENSE is missing"),
        (f"{INFO}/sboms/a.cdx.json", "sboms/a.cdx.json is missing"),
    ],
)
def test_a_wheel_that_lacks_a_file_is_refused(tmp_path: Path, name: str, complaint: str) -> None:
    (found,) = wheel_complaints(tmp_path, without(GOOD_WHEEL, name))
    assert complaint in found


@pytest.mark.parametrize("name", ["spark_eventhubs/py.typed", f"{CORE_INFO}/entry_points.txt"])
def test_a_package_that_lacks_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (found,) = core_complaints(tmp_path, without(GOOD_CORE_WHEEL, name))
    assert f"{name} is missing" in found


def test_a_package_with_a_jar_is_refused(tmp_path: Path) -> None:
    (found,) = core_complaints(tmp_path, GOOD_CORE_WHEEL | {"spark_eventhubs/jars/a.jar": "jar"})
    assert "spark_eventhubs/jars/a.jar should not be in it" in found


def test_a_wheel_with_another_jar_than_the_one_that_was_built_is_refused(tmp_path: Path) -> None:
    (found,) = wheel_complaints(tmp_path, GOOD_WHEEL | {"spark_eventhubs_jars/a.jar": "an older jar"})
    assert "not the one that was built" in found


def test_a_wheel_for_one_platform_only_is_refused(tmp_path: Path) -> None:
    (found,) = wheel_complaints(tmp_path, GOOD_WHEEL, name="spark_eventhubs-1.2.3-py3-none-linux_x86_64.whl")
    assert "not the wheel of 1.2.3" in found


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Requires-Dist: spark-eventhubs-core==1.2.3\n", "it does not need spark-eventhubs-core==1.2.3"),
        ("Metadata-Version: 2.4\n", "Metadata-Version is 'None', expected '2.4'"),
        ("\nVersion: 1.2.3\n", "Version is 'None', expected '1.2.3'"),
        ("Summary: Event Hubs\n", "Summary is missing"),
        ("License-Expression: Apache-2.0\n", "License-Expression is missing"),
        ("License-File: NOTICE\n", "License-File NOTICE is missing"),
        ("Requires-Python: >=3.10\n", "Requires-Python is missing"),
        ("Classifier: Typing :: Typed\n", "Classifier is missing"),
        ("# spark-eventhubs\n", "the description (the README) is missing"),
    ],
)
def test_metadata_that_lack_a_field_are_refused(line: str, complaint: str) -> None:
    assert dists.metadata_complaints(dists.JARS, METADATA, "1.2.3", "METADATA") == []
    (found,) = dists.metadata_complaints(
        dists.JARS, METADATA.replace(line, "\n" if line.startswith("\n") else ""), "1.2.3", "METADATA"
    )
    assert complaint in found


def test_an_sdist_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    assert sdist_complaints(tmp_path, GOOD_SDIST) == []
    for name in ("LICENSE", "hatch_build.py", "src/spark_eventhubs_jars/a.jar"):
        assert sdist_complaints(tmp_path, without(GOOD_SDIST, name)) == [f"a.tar.gz: {name} is missing"]


def test_the_package_leaves_out_jars_that_an_older_build_has_put_into_it(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parent.parent.parent
    shutil.copytree(root / "python", tmp_path / "python", ignore=shutil.ignore_patterns("dist", "jars", "tests"))
    for name in ("version.sbt", "LICENSE", "NOTICE", ".gitignore"):
        shutil.copy(root / name, tmp_path)
    (tmp_path / "python/src/spark_eventhubs/jars").mkdir(exist_ok=True)
    (tmp_path / "python/src/spark_eventhubs/jars/spark-eventhubs_2.13.jar").write_bytes(b"old")

    command = [sys.executable, "-m", "hatchling", "build", "--target"]
    for target in ("wheel", "sdist"):
        subprocess.run([*command, target], cwd=tmp_path / "python", check=True)

    (wheel,) = (tmp_path / "python/dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name in archive.namelist() if name.endswith(".jar")] == []
        assert "spark_eventhubs/__init__.py" in archive.namelist()
    (sdist,) = (tmp_path / "python/dist").glob("*.tar.gz")
    with tarfile.open(sdist) as unpacked:
        assert [name for name in unpacked.getnames() if name.endswith(".jar")] == []
