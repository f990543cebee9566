"""Each check of a POM, a bill of materials and a jar can fail: it is given something that must not be published."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from archives import GOOD_JAR, MIT_LIBRARY, POM, without, zipped
from release import boms, jars, poms, staging

if TYPE_CHECKING:
    from pathlib import Path


def pom_complaints(pom: str, *, may_depend: bool = False) -> list[str]:
    return poms.complaints(
        pom, group=staging.GROUP, artifact="spark-eventhubs_2.13", version="1.2.3", may_depend=may_depend
    )


def bom_complaints(**changes: object) -> list[str]:
    return boms.complaints(json.dumps({"bomFormat": "CycloneDX", "components": [MIT_LIBRARY | changes]}), "bom")


def jar_complaints(folder: Path, files: dict[str, str]) -> list[str]:
    return jars.assembled(zipped(folder / "a.jar", files), "spark-eventhubs", jars.CONNECTOR_CLASSES)


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
