"""The contents of the jars: licences of bundled libraries, relocated classes, sources and documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zipfile import ZipFile

from release import boms

if TYPE_CHECKING:
    from pathlib import Path

# Every class of a connector jar is ours or relocated. Others could clash with those of a platform.
CONNECTOR_CLASSES = ("org/apache/spark/eventhubs/", "org/apache/spark/sql/eventhubs/")

# Their text names the author, so each needs its own.
TEXT_WITH_AUTHOR = frozenset({"BSD-2-Clause", "BSD-3-Clause", "MIT"})


def assembled(jar: Path, bom_name: str, classes: tuple[str, ...] = ()) -> list[str]:
    """Faults of a jar that contains its libraries. All its classes must be in one of the folders `classes`."""
    with ZipFile(jar) as archive:
        names = archive.namelist()
        bom = f"META-INF/sbom/{bom_name}.cdx.json"
        found = notices(jar)
        if bom not in names:
            return [*found, f"{jar.name}: {bom} is missing"]
        text = archive.read(bom).decode()
    found += boms.complaints(text, jar.name)
    found += [
        f"{jar.name}: {component} is under {'/'.join(component.licences)}, and META-INF has no text of it"
        for component in boms.components(text)
        if not _has_text(component, names)
    ]
    outside = [name for name in names if classes and name.endswith(".class") and not name.startswith(classes)]
    return found + [f"{jar.name}: {name} is not relocated" for name in outside[:1]]


def _has_text(component: boms.Component, names: list[str]) -> bool:
    allowed = boms.ALLOWED.intersection(component.licences)
    return not allowed or not allowed <= TEXT_WITH_AUTHOR or f"META-INF/licences/{component.group}.txt" in names


def notices(jar: Path) -> list[str]:
    """Faults of the licence and the notice in META-INF. Merging may have given them longer names."""
    with ZipFile(jar) as archive:
        texts = {name: archive.read(name) for name in archive.namelist() if name.startswith("META-INF/")}
    has_licence = any(name.startswith("META-INF/LICENSE") and b"Apache License" in text for name, text in texts.items())
    has_notice = any(name.startswith("META-INF/NOTICE") and b"spark-eventhubs" in text for name, text in texts.items())
    return [
        *([] if has_licence else [f"{jar.name}: META-INF has no LICENSE with the Apache License"]),
        *([] if has_notice else [f"{jar.name}: META-INF has no NOTICE of spark-eventhubs"]),
    ]


def contains(jar: Path, suffix: str, what: str) -> list[str]:
    """A fault when no file of the jar has the suffix."""
    with ZipFile(jar) as archive:
        filled = any(info.filename.endswith(suffix) and info.file_size > 0 for info in archive.infolist())
    return [] if filled else [f"{jar.name}: no {what} in it"]
