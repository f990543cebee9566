"""Builds everything that a release publishes, checks it, and uploads nothing.

`make release-dry-run` signs with a key that is thrown away afterwards. The release workflow signs with the key in its
keyring (`--own-key`), names the tag that it runs for (`--tag`), and uploads what is here only after exit code 0.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

from release import dists, github, jars, repeated, staging

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
STAGING = ROOT / "target" / "sona-staging"
BUNDLE = ROOT / "target" / "sona-bundle" / "bundle.zip"
DIST = ROOT / "target" / "dist"
GITHUB = ROOT / "target" / "github"
NOTES = ROOT / "target" / "release-notes.md"

PROJECTS = ("core", "spark35", "localhub")

# What the wheel carries. The first two are the connector as Maven Central has it.
CONNECTOR_JARS = {
    "spark-eventhubs_2.13": ROOT / "core/target/scala-2.13/spark-eventhubs_2.13.jar",
    "spark-eventhubs_2.12": ROOT / "core/spark-3.5/target/scala-2.12/spark-eventhubs_2.12.jar",
}
HUB_JAR = ROOT / "localhub/target/scala-2.13/spark-eventhubs-localhub.jar"


def version_complaints(tag: str, version: str, changelog: str) -> list[str]:
    """Faults of a tag: its version is not the build's, or the changelog has no dated heading for it."""
    found = [] if tag == f"v{version}" else [f"tag {tag}: version.sbt says {version}, so the tag must be v{version}"]
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.MULTILINE):
        found.append(f"CHANGELOG.md: no heading '## {version} (<date>)'")
    return found


def version_of_build() -> str:
    """The version that sbt and hatchling use."""
    return (ROOT / "version.sbt").read_text(encoding="utf-8").split('"')[1]


@contextmanager
def throw_away_key() -> Iterator[None]:
    """A new keyring with one new key, for all processes that start within the context."""
    home = tempfile.mkdtemp(prefix="gpg-")  # Short: the agent's socket is in it.
    before = dict(os.environ)
    os.environ["GNUPGHOME"] = home
    os.environ["PGP_PASSPHRASE"] = ""
    key = ["--passphrase", "", "--quick-generate-key", "dry run <dry-run@example.invalid>", "default", "default", "1d"]
    try:
        subprocess.run(["gpg", "--batch", "--quiet", *key], check=True)
        yield
    finally:
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False)
        shutil.rmtree(home, ignore_errors=True)
        os.environ.clear()
        os.environ.update(before)


def build(*, signed: bool) -> None:
    """Fills the staging folder and its bundle, then builds the sdists, and each wheel from its sdist."""
    for leftover in (STAGING, BUNDLE.parent, DIST, GITHUB):
        shutil.rmtree(leftover, ignore_errors=True)
    publish = "publishSigned" if signed else "publish"
    steps = [f"{project}/{task}" for project in PROJECTS for task in ("mimaReportBinaryIssues", publish)]
    tasks = "; ".join([*steps, "localhub/assembly", "sonaBundle"])
    subprocess.run(["./sbt", tasks], check=True, cwd=ROOT, env={**os.environ, "RELEASE": "true"})
    for each in dists.DISTRIBUTIONS:
        python = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT / each.folder)]
        subprocess.run(python, check=True, cwd=ROOT)


def complaints(version: str, *, signed: bool) -> list[str]:
    """All faults of what was built."""
    found = [fault for each in staging.ARTIFACTS for fault in staging.complaints(STAGING, each, version, signed=signed)]
    found += jars.assembled(HUB_JAR, "spark-eventhubs-localhub")
    found += bundle_complaints()
    for name, jar in CONNECTOR_JARS.items():
        published = STAGING.joinpath(*staging.GROUP.split("."), name, version, f"{name}-{version}.jar")
        if published.is_file() and published.read_bytes() != jar.read_bytes():
            found.append(f"{published.name}: not the jar that the wheel carries")
    built = {jar.name: jar.read_bytes() for jar in (*CONNECTOR_JARS.values(), HUB_JAR)}
    files = sorted(DIST.iterdir())
    if sorted(path.name for path in files) != sorted(
        name for each in dists.DISTRIBUTIONS for name in each.files(version)
    ):
        return [
            *found,
            f"{DIST.name}: expected a wheel and an sdist of each package, found {[path.name for path in files]}",
        ]
    for each in dists.DISTRIBUTIONS:
        jars_inside = built if each.has_jars else {}
        wheel, sdist = (DIST / name for name in each.files(version))
        found += dists.wheel_complaints(each, wheel, version, jars_inside)
        found += dists.sdist_complaints(each, sdist, version, sorted(jars_inside))
    if not found:
        github.collect(GITHUB, STAGING, files, version)
        NOTES.write_text(github.notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version), encoding="utf-8")
    found += repeated.complaints(ROOT, PROJECTS, (*CONNECTOR_JARS.values(), HUB_JAR), DIST)
    twine = [sys.executable, "-m", "twine", "check", "--strict", *map(str, files)]
    if subprocess.run(twine, check=False).returncode != 0:
        found.append("twine check: refused, see above")
    return found


def bundle_complaints() -> list[str]:
    """Faults of the archive that is uploaded. It must hold exactly the files of the staging folder."""
    staged = {path.relative_to(STAGING).as_posix() for path in STAGING.rglob("*") if path.is_file()}
    with ZipFile(BUNDLE) as archive:
        bundled = {name for name in archive.namelist() if not name.endswith("/")}
    return [f"{BUNDLE.name}: {name} is only in one of bundle and staging folder" for name in sorted(staged ^ bundled)]


def main() -> int:
    """Exit code 1 when a check failed; each failed check is one line."""
    parser = argparse.ArgumentParser(description="Builds and checks a release; uploads nothing.")
    parser.add_argument("--tag", help="the tag of the release, which must fit version.sbt and CHANGELOG.md")
    parser.add_argument("--own-key", action="store_true", help="sign with the key of the keyring, not a throw-away key")
    arguments = parser.parse_args()
    version = version_of_build()
    if arguments.tag:
        found = version_complaints(arguments.tag, version, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        if found:
            print("\n".join(found), file=sys.stderr)
            return 1
    found = build_and_check(version, own_key=arguments.own_key)
    print("\n".join(found) or f"release {version}: all checks passed; nothing was uploaded", flush=True)
    return 1 if found else 0


def build_and_check(version: str, *, own_key: bool) -> list[str]:
    """All faults of the release, signed with the chosen key."""
    if own_key:
        build(signed=True)
        return complaints(version, signed=True)
    if shutil.which("gpg") is None:
        print("gpg is not installed: the artifacts are not signed, and signatures are not checked", flush=True)
        build(signed=False)
        return complaints(version, signed=False)
    with throw_away_key():
        build(signed=True)
        return complaints(version, signed=True)


if __name__ == "__main__":
    sys.exit(main())
