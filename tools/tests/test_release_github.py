"""What the release on GitHub gets, and the check that files are the same when they are built again."""

from __future__ import annotations

import subprocess
from pathlib import Path

from release import github, repeated, staging

CHANGELOG = "# Changelog\n\n## 0.2.0 (2027-01-01)\n\n### Added\n\n- Two.\n\n## 0.1.0 (2026-12-01)\n\n- One.\n"


def test_the_notes_are_the_section_of_the_version() -> None:
    assert github.notes(CHANGELOG, "0.2.0") == "### Added\n\n- Two.\n"
    assert github.notes(CHANGELOG, "0.1.0") == "- One.\n"
    assert github.notes(CHANGELOG, "0.1") == ""


def test_the_files_have_checksums_that_sha256sum_accepts(tmp_path: Path) -> None:
    staged, folder, wheel = tmp_path / "staging", tmp_path / "github", tmp_path / "a.whl"
    wheel.write_bytes(b"wheel")
    for artifact in staging.ARTIFACTS:
        place = staging.folder_of(staged, artifact, "1.2.3")
        place.mkdir(parents=True)
        for end in (".jar", "-cyclonedx.json", ".pom"):
            (place / f"{artifact.name}-1.2.3{end}").write_text(artifact.name)

    github.collect(folder, staged, [wheel], "1.2.3")

    assert len(list(folder.iterdir())) == 2 * len(staging.ARTIFACTS) + 2
    command = ["sha256sum", "--check", "--strict", github.CHECKSUMS]
    assert subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.count(": OK") == 7


def test_a_file_that_differs_when_it_is_built_again_is_named() -> None:
    first = {Path("a.jar"): b"1", Path("b.whl"): b"2"}
    assert repeated.differing(first, dict(first)) == []
    (found,) = repeated.differing(first, first | {Path("b.whl"): b"3"})
    assert found == "b.whl: differs when it is built again"
