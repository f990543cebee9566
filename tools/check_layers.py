"""Checks which package may import which, and what would tie the jar to one version of Spark.

The direction (docs/architecture.md):
sql.eventhubs -> eventhubs.rdd -> eventhubs.client -> eventhubs.options -> eventhubs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT / "core" / "src" / "main" / "scala"
# What only one of the two builds has.
CORES = [SHARED, ROOT / "core" / "src" / "main" / "spark-4", ROOT / "core" / "spark-3.5" / "src" / "main" / "scala"]
HUB = ROOT / "localhub" / "src" / "main" / "scala" / "localhub"

OURS = "org.apache.spark.eventhubs"
SPARK_SQL = r"org\.apache\.spark\.sql"

# Package of the connector -> patterns that its files must not import.
FORBIDDEN_IN_CORE = {
    "org/apache/spark/eventhubs": [SPARK_SQL, r"com\.azure", rf"{OURS}\.(client|rdd)"],
    "org/apache/spark/eventhubs/options": [SPARK_SQL, r"com\.azure", rf"{OURS}\.(client|rdd)"],
    "org/apache/spark/eventhubs/client": [SPARK_SQL, rf"{OURS}\.rdd"],
    "org/apache/spark/eventhubs/rdd": [SPARK_SQL, r"com\.azure"],
    "org/apache/spark/sql/eventhubs": [r"com\.azure"],
    "org/apache/spark/sql/eventhubs/exactlyonce": [r"com\.azure"],
    "org/apache/spark/sql/eventhubs/realtime": [r"com\.azure"],
    "com/azure/messaging/eventhubs": [r"org\.apache\.spark"],
}

# Folder -> patterns that its files must not import.
FORBIDDEN = {
    **{root / package: patterns for root in CORES for package, patterns in FORBIDDEN_IN_CORE.items()},
    HUB / "log": [r"localhub\.(node|amqp|auth|http)", r"org\.apache\.qpid"],
    HUB / "node": [r"localhub\.(amqp|http)", r"org\.apache\.qpid"],
    HUB / "auth": [r"localhub\.(log|node|amqp|http)", r"org\.apache\.qpid"],
}

# Names that legacy notebooks call: they stand above all layers, in the package where the legacy had them.
FACADES = {"EventHubsUtils.scala"}

# Moved, renamed or re-typed between Spark 4.0 and 4.3: naming one of them breaks the one jar for all. What 3.5 has
# elsewhere (sql.classic) does not compile there.
SPARK_BOUND = [
    r"execution\.streaming\.(SerializedOffset|LongOffset|CheckpointFileManager|MicroBatchExecution|StreamExecution)\b",
    r"execution\.streaming\.(runtime|checkpointing)\b",
    r"internal\.(LogKeys|MDC)\b",
    r"org\.json4s",
]


def imports(file: Path) -> list[tuple[int, str]]:
    """Line number and text of each import, a multi-line one as its first line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip().startswith("import ")]


def is_spark_bound(folder: Path) -> bool:
    """Whether what is in the folder is part of the connector and calls Spark."""
    return any(root / "org" in folder.parents for root in CORES)


def complaints() -> list[str]:
    """One line per import that should not be."""
    found = []
    for folder, patterns in FORBIDDEN.items():
        banned = patterns + (SPARK_BOUND if is_spark_bound(folder) else [])
        for file in sorted(path for path in folder.glob("*.scala") if path.name not in FACADES):
            for number, line in imports(file):
                found += [
                    f"{file.relative_to(ROOT)}:{number}: '{line}' is not allowed in {folder.relative_to(ROOT)}"
                    f" ({pattern})"
                    for pattern in banned
                    if re.search(pattern, line)
                ]
    return found


def main() -> int:
    """Exit code 1 when there is anything to complain about."""
    found = complaints()
    print("\n".join(found) or "layers: no import goes backwards")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
