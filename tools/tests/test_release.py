"""Each check of a release can fail: it is given something that a release must not publish, and says so."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import release_build
from release import boms, dists, jars, poms, staging

ROOT = Path(__file__).resolve().parents[2]

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<groupId>io.github.spark-eventhubs</groupId><artifactId>spark-eventhubs_2.13</artifactId><version>1.2.3</version>
<name>spark-eventhubs</name><description>Reads and writes.</description><url>https://example.invalid</url>
<licenses><license><name>Apache-2.0</name><url>https://example.invalid/licence</url></license></licenses>
<developers><developer><name>The authors</name></developer></developers>
<scm><url>https://example.invalid</url><connection>scm:git:https://example.invalid</connection></scm>
</project>"""

MIT_LIBRARY: dict[str, Any] = {
    "group": "com.example",
    "name": "library",
    "version": "1.0",
    "licenses": [{"license": {"name": "MIT License"}}],
    "hashes": [{"alg": "SHA-256", "content": "0" * 64}],
}

# What an assembled jar has, by name.
GOOD_JAR = {
    "META-INF/LICENSE": "Apache License",
    "META-INF/NOTICE": "spark-eventhubs",
    "META-INF/licences/com.example.txt": "Copyright (c) Example",
    "META-INF/sbom/spark-eventhubs.cdx.json": json.dumps({"bomFormat": "CycloneDX", "components": [MIT_LIBRARY]}),
    "org/apache/spark/eventhubs/A.class": "class",
}

METADATA = """Metadata-Version: 2.4
Name: spark-eventhubs
Version: 1.2.3
Summary: Event Hubs
Author: The authors
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.10
Classifier: Typing :: Typed
Project-URL: Homepage, https://example.invalid
Description-Content-Type: text/markdown

# spark-eventhubs
"""

WHEEL = "spark_eventhubs-1.2.3-py3-none-any.whl"
INFO = "spark_eventhubs-1.2.3.dist-info"
GOOD_WHEEL = {
    "spark_eventhubs/py.typed": "",
    "spark_eventhubs/jars/a.jar": "jar",
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/entry_points.txt": "[console_scripts]",
    f"{INFO}/licenses/LICENSE": "Apache License",
    f"{INFO}/licenses/NOTICE": "spark-eventhubs",
}
GOOD_SDIST = dict.fromkeys(
    (*dists.SDIST_FILES, "src/spark_eventhubs/__init__.py", "src/spark_eventhubs/jars/a.jar"), "text"
) | {"PKG-INFO": METADATA}


def zipped(path: Path, files: dict[str, str]) -> Path:
    with ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"spark_eventhubs-1.2.3/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return path


def without(files: dict[str, str], name: str) -> dict[str, str]:
    return {path: content for path, content in files.items() if path != name}


def pom_complaints(pom: str, *, may_depend: bool = False) -> list[str]:
    return poms.complaints(
        pom, group=staging.GROUP, artifact="spark-eventhubs_2.13", version="1.2.3", may_depend=may_depend
    )


def bom_complaints(**changes: object) -> list[str]:
    return boms.complaints(json.dumps({"bomFormat": "CycloneDX", "components": [MIT_LIBRARY | changes]}), "bom")


def jar_complaints(folder: Path, files: dict[str, str]) -> list[str]:
    return jars.assembled(zipped(folder / "a.jar", files), "spark-eventhubs", jars.CONNECTOR_CLASSES)


def wheel_complaints(folder: Path, files: dict[str, str], name: str = WHEEL) -> list[str]:
    return dists.wheel_complaints(zipped(folder / name, files), "1.2.3", {"a.jar": b"jar"})


def sdist_complaints(folder: Path, files: dict[str, str]) -> list[str]:
    return dists.sdist_complaints(tarred(folder / "a.tar.gz", files), "1.2.3", ["a.jar"])


def test_a_complete_pom_passes() -> None:
    assert pom_complaints(POM) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("<version>1.2.3<", "<version>1.2.4<", "version is '1.2.4', expected '1.2.3'"),
        ("<groupId>io.github.spark-eventhubs<", "<groupId>other<", "groupId is 'other'"),
        ("<artifactId>spark-eventhubs_2.13<", "<artifactId>other<", "artifactId is 'other'"),
        ("<name>spark-eventhubs</name>", "", "name is missing"),
        ("<description>Reads and writes.</description>", "", "description is missing"),
        ("<url>https://example.invalid</url>\n<licenses>", "<licenses>", "url is missing"),
        ("<name>Apache-2.0</name>", "", "licenses/license/name is missing"),
        ("<name>The authors</name>", "", "developers/developer/name is missing"),
        ("<connection>scm:git:https://example.invalid</connection>", "", "scm/connection is missing"),
        ("</project>", "<dependencies/></project>", "has dependencies"),
    ],
)
def test_a_pom_that_maven_central_or_users_would_not_accept_is_refused(old: str, new: str, complaint: str) -> None:
    broken = POM.replace(old, new)
    assert broken != POM
    (found,) = pom_complaints(broken)
    assert complaint in found


def test_a_library_may_have_dependencies() -> None:
    assert pom_complaints(POM.replace("</project>", "<dependencies/></project>"), may_depend=True) == []


def test_a_complete_bill_of_materials_passes() -> None:
    assert bom_complaints() == []


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"version": ""}, "no full name and version"),
        ({"hashes": []}, "no SHA-256"),
        ({"licenses": []}, "no licence"),
        ({"licenses": [{"license": {"id": "GPL-3.0-only"}}]}, "has licence GPL-3.0-only, which is not allowed"),
    ],
)
def test_a_library_without_version_hash_or_allowed_licence_is_refused(
    changes: dict[str, object], complaint: str
) -> None:
    (found,) = bom_complaints(**changes)
    assert complaint in found


def test_one_allowed_licence_of_several_is_enough() -> None:
    choice = [{"license": {"id": "LGPL-2.1-or-later"}}, {"license": {"id": "Apache-2.0"}}]
    assert bom_complaints(licenses=choice) == []


def test_an_empty_bill_of_materials_is_refused() -> None:
    assert boms.complaints('{"bomFormat": "CycloneDX"}', "bom") == ["bom: the bill of materials lists no library"]
    assert boms.complaints("{}", "bom") == ["bom: the bill of materials is not CycloneDX"]


def test_a_complete_jar_passes(tmp_path: Path) -> None:
    assert jar_complaints(tmp_path, GOOD_JAR) == []


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("META-INF/LICENSE", "no LICENSE"),
        ("META-INF/NOTICE", "no NOTICE"),
        ("META-INF/licences/com.example.txt", "com.example:library:1.0 is under MIT, and META-INF has no text of it"),
        ("META-INF/sbom/spark-eventhubs.cdx.json", "spark-eventhubs.cdx.json is missing"),
    ],
)
def test_a_jar_without_licence_notice_or_bill_of_materials_is_refused(
    tmp_path: Path, name: str, complaint: str
) -> None:
    (found,) = jar_complaints(tmp_path, without(GOOD_JAR, name))
    assert complaint in found


def test_a_connector_jar_with_a_class_that_is_not_relocated_is_refused(tmp_path: Path) -> None:
    leaked = GOOD_JAR | {"com/azure/core/A.class": "class", "reactor/B.class": "class"}
    assert jar_complaints(tmp_path, leaked) == ["a.jar: com/azure/core/A.class is not relocated"]


def test_sources_or_documentation_that_are_empty_are_refused(tmp_path: Path) -> None:
    empty = zipped(tmp_path / "a-sources.jar", {"A.scala": ""})
    assert jars.contains(empty, ".scala", "Scala source") == ["a-sources.jar: no Scala source in it"]
    filled = zipped(tmp_path / "b-sources.jar", {"A.scala": "class A"})
    assert jars.contains(filled, ".scala", "Scala source") == []


def test_a_complete_wheel_passes(tmp_path: Path) -> None:
    assert wheel_complaints(tmp_path, GOOD_WHEEL) == []


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("spark_eventhubs/py.typed", "py.typed is missing"),
        ("spark_eventhubs/jars/a.jar", "a.jar is missing or not the one that was built"),
        (f"{INFO}/METADATA", "METADATA is missing"),
        (f"{INFO}/entry_points.txt", "entry_points.txt is missing"),
        (f"{INFO}/licenses/LICENSE", "licenses/LICENSE is missing"),
    ],
)
def test_a_wheel_that_lacks_a_file_is_refused(tmp_path: Path, name: str, complaint: str) -> None:
    (found,) = wheel_complaints(tmp_path, without(GOOD_WHEEL, name))
    assert complaint in found


def test_a_wheel_with_another_jar_than_the_one_that_was_built_is_refused(tmp_path: Path) -> None:
    (found,) = wheel_complaints(tmp_path, GOOD_WHEEL | {"spark_eventhubs/jars/a.jar": "an older jar"})
    assert "not the one that was built" in found


def test_a_wheel_for_one_platform_only_is_refused(tmp_path: Path) -> None:
    (found,) = wheel_complaints(tmp_path, GOOD_WHEEL, name="spark_eventhubs-1.2.3-py3-none-linux_x86_64.whl")
    assert "not the wheel of 1.2.3" in found


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Version: 1.2.3\n", "Version is 'None', expected '1.2.3'"),
        ("Summary: Event Hubs\n", "Summary is missing"),
        ("License-Expression: Apache-2.0\n", "License-Expression is missing"),
        ("License-File: NOTICE\n", "License-File NOTICE is missing"),
        ("Requires-Python: >=3.10\n", "Requires-Python is missing"),
        ("Classifier: Typing :: Typed\n", "Classifier is missing"),
        ("# spark-eventhubs\n", "the description (the README) is missing"),
    ],
)
def test_metadata_that_lack_a_field_are_refused(line: str, complaint: str) -> None:
    assert dists.metadata_complaints(METADATA, "1.2.3", "METADATA") == []
    (found,) = dists.metadata_complaints(METADATA.replace(line, ""), "1.2.3", "METADATA")
    assert complaint in found


def test_an_sdist_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    assert sdist_complaints(tmp_path, GOOD_SDIST) == []
    for name in ("LICENSE", "hatch_build.py", "src/spark_eventhubs/jars/a.jar"):
        assert sdist_complaints(tmp_path, without(GOOD_SDIST, name)) == [f"a.tar.gz: {name} is missing"]


def staged(folder: Path) -> Path:
    """The folder of a complete artifact, unsigned, below `folder` as the staging folder."""
    artifact = staging.folder_of(folder, staging.ARTIFACTS[0], "1.2.3")
    artifact.mkdir(parents=True)
    start = "spark-eventhubs_2.13-1.2.3"
    zipped(artifact / f"{start}.jar", GOOD_JAR)
    zipped(artifact / f"{start}-sources.jar", {"A.scala": "class A"})
    zipped(artifact / f"{start}-javadoc.jar", {"index.html": "<html>"})
    (artifact / f"{start}.pom").write_text(POM)
    (artifact / f"{start}-cyclonedx.json").write_text(GOOD_JAR["META-INF/sbom/spark-eventhubs.cdx.json"])
    for file in list(artifact.iterdir()):
        for digest in staging.DIGESTS:
            (artifact / f"{file.name}.{digest}").write_text(hashlib.new(digest, file.read_bytes()).hexdigest())
    return artifact


def staging_complaints(folder: Path, *, signed: bool = False) -> list[str]:
    return staging.complaints(folder, staging.ARTIFACTS[0], "1.2.3", signed=signed)


def test_a_complete_artifact_passes(tmp_path: Path) -> None:
    staged(tmp_path)
    assert staging_complaints(tmp_path) == []


@pytest.mark.parametrize("end", [".jar", ".pom", "-sources.jar", "-javadoc.jar", "-cyclonedx.json"])
def test_an_artifact_that_lacks_a_file_is_refused(tmp_path: Path, end: str) -> None:
    (staged(tmp_path) / f"spark-eventhubs_2.13-1.2.3{end}").unlink()
    assert staging_complaints(tmp_path) == [f"spark-eventhubs_2.13: spark-eventhubs_2.13-1.2.3{end} is missing"]


def test_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    (staged(tmp_path) / "spark-eventhubs_2.13-1.2.3.pom.sha1").write_text("0" * 40)
    assert staging_complaints(tmp_path) == ["spark-eventhubs_2.13-1.2.3.pom: its sha1 file is missing or wrong"]


def test_a_file_that_nobody_expects_is_refused(tmp_path: Path) -> None:
    (staged(tmp_path) / "spark-eventhubs_2.13-1.2.3-tests-javadoc.jar").write_text("jar")
    assert staging_complaints(tmp_path) == [
        "spark-eventhubs_2.13: spark-eventhubs_2.13-1.2.3-tests-javadoc.jar should not be published"
    ]


@pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not installed")
def test_a_missing_or_foreign_signature_is_refused(tmp_path: Path) -> None:
    artifact = staged(tmp_path)
    with release_build.throw_away_key():
        files = [file for file in artifact.iterdir() if file.suffix not in {".md5", ".sha1"}]
        for file in files:
            subprocess.run(["gpg", "--batch", "--quiet", "--armor", "--detach-sign", str(file)], check=True)
        assert [found for found in staging_complaints(tmp_path, signed=True) if "signature" in found] == []
        (artifact / "spark-eventhubs_2.13-1.2.3.pom.asc").unlink()
        shutil.copy(
            artifact / "spark-eventhubs_2.13-1.2.3.jar.asc", artifact / "spark-eventhubs_2.13-1.2.3-sources.jar.asc"
        )
        assert staging_complaints(tmp_path, signed=True) == [
            "spark-eventhubs_2.13-1.2.3.pom: its signature is missing or wrong",
            "spark-eventhubs_2.13-1.2.3-sources.jar: its signature is missing or wrong",
        ]


def test_a_tag_needs_the_version_of_the_build_and_a_dated_heading_in_the_changelog() -> None:
    dated = "## 1.2.3 (2026-12-01)\n"
    assert release_build.version_complaints("v1.2.3", "1.2.3", dated) == []
    (found,) = release_build.version_complaints("v1.2.4", "1.2.3", dated)
    assert "the tag must be v1.2.3" in found
    (found,) = release_build.version_complaints("v1.2.3", "1.2.3", "## 1.2.3 (unreleased)\n")
    assert "no heading '## 1.2.3 (<date>)'" in found


def test_a_bundle_that_differs_from_the_staging_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged(tmp_path / "staging")
    monkeypatch.setattr(release_build, "STAGING", tmp_path / "staging")
    monkeypatch.setattr(release_build, "BUNDLE", zipped(tmp_path / "bundle.zip", {"other.jar": "jar"}))
    assert "bundle.zip: other.jar is only in one of bundle and staging folder" in release_build.bundle_complaints()


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_the_python_package_has_the_licence_and_notice_of_the_repository(name: str) -> None:
    assert (ROOT / "python" / name).read_bytes() == (ROOT / name).read_bytes()
