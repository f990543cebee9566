"""Each check of a release can fail: staging folder, tag, bundle. It is given something that must not be published."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

import release_build
from archives import GOOD_JAR, POM, zipped
from release import staging

ROOT = Path(__file__).resolve().parents[2]


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
