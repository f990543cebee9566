"""Checks the packages of the connector and of the local hub against docs/architecture.md.

- Every package is in the table below, and imports only what its row allows.
- Each test of `tests/` is in a folder that a runner runs.
- What is not for users is `private[...]`.
- Nothing imports a class that would tie the jar to one version of Spark.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

CORE = "org.apache.spark.eventhubs"
SQL = "org.apache.spark.sql.eventhubs"
SDK = "com.azure.messaging.eventhubs"
DOMAIN = (CORE,)
BELOW_TASKS = (
    *("credentials", "options", "retry", "background", "amqp", "generation", "tls"),
    *("proxy", "signin", "rest", "listing", "registry", "blob", "checkpoints", "ownership", "connection", "service"),
)
ENGINE = tuple(f"{CORE}.{name}" for name in (*BELOW_TASKS, "receive", "send", "identity", "executor", "rdd"))


@dataclass(frozen=True)
class Layer:
    """What one package may import.

    `ours` are packages of this project; of others, only the Azure SDK and Spark SQL are restricted.
    """

    ours: tuple[str, ...] = ()
    azure: bool = False
    spark_sql: bool = False


def core(*names: str) -> tuple[str, ...]:
    """Packages below the domain, and the domain."""
    return (*DOMAIN, *(f"{CORE}.{name}" for name in names))


def sql(*names: str) -> Layer:
    """A package below `sql`: it may import the whole engine, and these packages below `sql`."""
    return Layer((*DOMAIN, *ENGINE, *(f"{SQL}.{name}" for name in names)), spark_sql=True)


LAYERS = {
    CORE: Layer(core("credentials", "options")),
    f"{CORE}.credentials": Layer(core()),
    f"{CORE}.options": Layer(core("credentials")),
    f"{CORE}.retry": Layer(core()),
    f"{CORE}.background": Layer(),
    f"{CORE}.amqp": Layer(core()),
    f"{CORE}.generation": Layer(core("options")),
    f"{CORE}.tls": Layer(core("options")),
    f"{CORE}.proxy": Layer(core("options"), azure=True),
    f"{CORE}.signin": Layer((*core("credentials", "options", "proxy", "tls"), SDK), azure=True),
    f"{CORE}.rest": Layer(core("options", "retry", "tls", "proxy", "signin"), azure=True),
    f"{CORE}.listing": Layer(core("options", "rest"), azure=True),
    f"{CORE}.registry": Layer(core("options", "rest"), azure=True),
    f"{CORE}.blob": Layer(core("options", "signin"), azure=True),
    f"{CORE}.checkpoints": Layer(core("options", "background", "blob")),
    f"{CORE}.ownership": Layer(core("options", "retry", "background", "blob", "checkpoints")),
    f"{CORE}.connection": Layer(
        (*core("options", "retry", "amqp", "generation", "tls", "proxy", "signin"), SDK), azure=True
    ),
    f"{CORE}.service": Layer(core("options", "retry", "generation", "connection")),
    f"{CORE}.identity": Layer(core("options", "signin", "connection")),
    f"{CORE}.receive": Layer(core("options", "retry", "amqp", "generation", "connection")),
    f"{CORE}.send": Layer(core("options", "retry", "background", "amqp", "connection")),
    f"{CORE}.executor": Layer(
        core(
            *("options", "retry", "background", "amqp", "generation", "signin", "registry", "connection", "service"),
            *("receive", "send"),
        )
    ),
    f"{CORE}.rdd": Layer(
        core("options", "retry", "amqp", "generation", "connection", "service", "receive", "executor")
    ),
    f"{SQL}.compat": sql(),
    f"{SQL}.bodies": sql("compat"),
    f"{SQL}.placement": sql(),
    f"{SQL}.planning": sql("compat"),
    f"{SQL}.hubs": sql("compat", "placement", "planning"),
    f"{SQL}.source": sql("compat", "placement", "planning", "hubs"),
    f"{SQL}.sink": sql("compat", "planning"),
    f"{SQL}.exactlyonce": sql("compat", "placement", "planning", "hubs", "source", "sink"),
    f"{SQL}.realtime": sql("compat", "placement", "planning", "hubs", "source"),
    SQL: sql("bodies", "compat", "placement", "planning", "hubs", "source", "sink", "exactlyonce", "realtime"),
    SDK: Layer((f"{SDK}.transport",), azure=True),
    f"{SDK}.transport": Layer(azure=True),
}

HUB = "localhub"


def hub(*names: str) -> Layer:
    """A package of the local hub, and what it may import of the hub's other packages."""
    return Layer(tuple(f"{HUB}.{name}" for name in names))


HUB_DATA = ("namespace", "schemas")
HUB_LAYERS = {
    HUB: hub("amqp", "amqp.event", "amqp.fault", "amqp.layer", "auth", "authority", "cli", "http", *HUB_DATA),
    f"{HUB}.cli": Layer((HUB, *hub("auth", "authority", "log", *HUB_DATA).ours)),
    f"{HUB}.http": hub(
        "amqp", "amqp.event", "amqp.fault", "amqp.layer", "amqp.server", "authority", "browse", "log", *HUB_DATA
    ),
    f"{HUB}.browse": hub("log", "schemas"),
    f"{HUB}.amqp": hub("amqp.fault", "amqp.io", "amqp.layer", "amqp.server", "auth", *HUB_DATA),
    f"{HUB}.amqp.io": hub("amqp.connection", "amqp.engine", "amqp.layer", "amqp.server"),
    f"{HUB}.amqp.connection": hub("amqp.engine", "amqp.fault", "amqp.layer", "amqp.link", "amqp.server", "auth"),
    f"{HUB}.amqp.link": hub("amqp.event", "amqp.fault", "amqp.server", "auth", "log", "namespace"),
    f"{HUB}.amqp.server": hub("amqp.fault", "amqp.layer", "auth", "log", *HUB_DATA),
    f"{HUB}.amqp.layer": hub("amqp.engine"),
    f"{HUB}.amqp.engine": hub(),
    f"{HUB}.amqp.event": hub("log", "namespace"),
    f"{HUB}.amqp.fault": hub("namespace"),
    f"{HUB}.namespace": hub("log"),
    f"{HUB}.schemas": hub("log"),
    f"{HUB}.log": hub(),
    f"{HUB}.authority": hub("amqp.layer", "auth"),
    f"{HUB}.auth": hub(),
}

# Configuration and exceptions, which all packages of the hub use.
HUB_SHARED_TOP = {
    "Compaction",
    "CompactionNames",
    "HubConfig",
    "InvalidHubException",
    "KeyStoreFile",
    "LocalHubConfig",
    "LocalHubException",
    "Retention",
    "ServiceSettings",
    "SettingParser",
    "TlsConfig",
}

# The hub's state knows nothing of the protocol.
HUB_STATE = {f"{HUB}.namespace", f"{HUB}.schemas", f"{HUB}.log", f"{HUB}.auth"}

# In the top package because Spark or users load them by name, and used below it.
SHARED_TOP = {"EventHubsSourceOffset", "EventHubsSchema", "EventHubsReadMetrics", "EventHubsWriteMetrics"}

# Names that legacy notebooks call: they are above all layers, in the package where the legacy had them.
FACADES = {"EventHubsUtils.scala"}

# Moved, renamed or re-typed between Spark 4.0 and 4.3: naming one of them breaks the one jar for all. What 3.5 has
# elsewhere (sql.classic) does not compile there.
SPARK_BOUND = [
    r"execution\.streaming\.(SerializedOffset|LongOffset|CheckpointFileManager|MicroBatchExecution|StreamExecution)\b",
    r"execution\.streaming\.(runtime|checkpointing)\b",
    r"internal\.(LogKeys|MDC)\b",
    r"org\.json4s",
]

# Folders with the sources of one build: those of a row are compiled together.
MAIN = {
    "core": ("core/src/main/scala", "core/src/main/spark-4", "core/spark-3.5/src/main/scala"),
    "localhub": ("localhub/src/main/scala",),
}

IMPORT = re.compile(r"^import ((?:\w+\.)+)(\{[^}]*\}|\w+)", re.MULTILINE)
TOP_LEVEL = re.compile(
    r"^(private(?:\[\w+\])? )?(?:final |sealed |abstract |case |implicit )*(?:class|object|trait) (\w+)", re.MULTILINE
)

# What users see: documented names, and classes that Spark creates by name.
PUBLIC = {
    CORE: {
        "ConnectionStringBuilder",
        "EventHubsConf",
        "EventHubsEvent",
        "EventHubsException",
        "EventHubsUtils",
        "EventPosition",
        "NameAndPartition",
    },
    f"{CORE}.credentials": {"ProvidedToken", "TokenProvider"},
    f"{CORE}.options": {"PreferredLocationStrategy"},
    f"{CORE}.rdd": {"HasOffsetRanges", "OffsetRange"},
    SQL: {
        "DuplicateEvents",
        "EventHubsExtensions",
        "EventHubsSchema",
        "EventHubsSignInProvider",
        "EventHubsStreamMetrics",
        "EventHubsSourceOffset",
        "EventHubsSourceProvider",
        "functions",
    },
}


def packages(folders: tuple[str, ...]) -> dict[str, list[Path]]:
    """The Scala files of each package."""
    found: dict[str, list[Path]] = {}
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.scala")):
            package = ".".join(file.parent.relative_to(ROOT / folder).parts)
            found.setdefault(package, []).append(file)
    return found


def imports(file: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Line number, package and names of each import."""
    text = file.read_text(encoding="utf-8")
    for match in IMPORT.finditer(text):
        names = [name.split("=>")[0].strip() for name in match[2].strip("{}").split(",")]
        yield text.count("\n", 0, match.start()) + 1, match[1].rstrip("."), names


def package_of(path: str, layers: dict[str, Layer]) -> str | None:
    """Our package that an import path leads to. The path may end in the name of an object."""
    while path and path not in layers:
        path = path.rpartition(".")[0]
    return path or None


def is_shared(path: str, names: list[str], top: str, shared: set[str]) -> bool:
    """Whether only shared classes of the top package, or members of one, are imported."""
    classes = {path.removeprefix(f"{top}.").split(".")[0]} if path != top else set(names)
    return classes <= shared


def is_allowed(layer: Layer, package: str, path: str, names: list[str]) -> bool:
    """Whether a file of `package` may import these names from that path."""
    if package == SDK and path.startswith("org.apache.spark"):
        return False
    ours = package_of(path, LAYERS)
    if ours is not None and ours != package:
        shared = ours == SQL and package.startswith(SQL) and is_shared(path, names, SQL, SHARED_TOP)
        return ours in layer.ours or shared
    if ours is None and path.startswith("com.azure"):
        return layer.azure
    if ours is None and path.startswith("org.apache.spark.sql"):
        return layer.spark_sql
    return True


def direction() -> Iterator[str]:
    """Imports that go up the table of packages, and packages without a row."""
    for package, files in packages(MAIN["core"]).items():
        layer = LAYERS.get(package)
        if layer is None:
            if any(file.name != "Scala213Packages.scala" for file in files):
                yield f"{package} has no row in tools/check_layers.py and in docs/architecture.md"
            continue
        for file in (file for file in files if file.name not in FACADES):
            for line, path, names in imports(file):
                place = f"{file.relative_to(ROOT)}:{line}"
                text = f"{path}.{{{', '.join(names)}}}"
                if not is_allowed(layer, package, path, names):
                    yield f"{place}: {package} must not import {text}"
                paths = [f"{path}.{name}" for name in names]
                if any(re.search(pattern, full) for pattern in SPARK_BOUND for full in paths):
                    yield f"{place}: {text} differs between versions of Spark"


def hub_direction() -> Iterator[str]:
    """The same for the local hub."""
    for package, files in packages(MAIN["localhub"]).items():
        layer = HUB_LAYERS.get(package)
        if layer is None:
            yield f"{package} has no row in tools/check_layers.py and in docs/architecture.md"
            continue
        for file in files:
            for line, path, names in imports(file):
                ours = package_of(path, HUB_LAYERS)
                is_own = ours is None or ours in (package, *layer.ours)
                shared = ours == HUB and is_shared(path, names, HUB, HUB_SHARED_TOP)
                is_foreign = path.startswith(("com.azure", "org.apache.spark"))
                is_protocol = package in HUB_STATE and path.startswith("org.apache.qpid")
                if not (is_own or shared) or is_foreign or is_protocol:
                    place = f"{file.relative_to(ROOT)}:{line}"
                    yield f"{place}: {package} must not import {path}.{{{', '.join(names)}}}"


def lost_tests() -> Iterator[str]:
    """Tests that no runner would find."""
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        yield f"{path.relative_to(ROOT)} must be in a folder of tests/, which tools/run_tests.py runs"


def visibility() -> Iterator[str]:
    """Public classes that are not for users."""
    for package, files in packages(MAIN["core"]).items():
        if package == SDK:
            continue
        for file in files:
            for private, name in TOP_LEVEL.findall(file.read_text(encoding="utf-8")):
                by_name = package == SQL and name.endswith("Metric")
                if not private and name not in PUBLIC.get(package, set()) and not by_name:
                    yield f"{file.relative_to(ROOT)}: {name} is public, and not for users"


def main() -> int:
    """Exit code 1 when a check failed."""
    found = [*direction(), *hub_direction(), *lost_tests(), *visibility()]
    print("\n".join(found) or "layers: every package is in the table, and no import goes backwards")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
