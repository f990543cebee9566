"""Archives for the tests of a release, and what a complete artifact holds."""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

if TYPE_CHECKING:
    from pathlib import Path

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
