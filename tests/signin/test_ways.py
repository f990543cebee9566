"""Each way to sign in, on each platform, for reading, writing and writing exactly once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest

from processes import SPARK_ENVIRONMENT
from ways import STORE, Ways, running_ways

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.timeout(900)

ALL = (
    *("client_secret", "secret_in_a_file", "secret_in_a_variable", "secret_in_a_store", "pem", "pfx"),
    *("system_identity", "user_identity", "workload_identity", "default_chain", "own_class"),
    *("sas_token", "sas_in_a_file", "string_in_a_file"),
)
# Each kind of credential once.
SHORT = ("secret_in_a_store", "pfx", "system_identity", "workload_identity", "own_class", "sas_in_a_file")
# What depends on the version of Spark: the credential store is Hadoop's, and Spark loads the class.
OF_SPARK = ("secret_in_a_store", "own_class")
IS_NEWEST = pyspark.__version__.startswith("4.2")
PLATFORMS = ("classic", "connect") if IS_NEWEST else ("classic",)
TWENTY_EACH_WAY = 40


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ways]:
    with running_ways(tmp_path_factory.mktemp("credentials")) as running:
        yield running


def results(
    ways: Ways, platform: str, folder: Path, options: dict[str, dict[str, str]], **settings: str
) -> tuple[dict[str, Any], str]:
    """What the program prints, and everything that Spark and the program wrote."""
    (folder / "events").mkdir()
    (folder / "ways.json").write_text(json.dumps(options), encoding="utf-8")
    conf = {"spark.ui.enabled": "false", "spark.eventLog.enabled": "true", "spark.eventLog.dir": f"{folder}/events"}
    conf |= {"spark.sql.warehouse.dir": f"{folder}/warehouse", **settings}
    submit = " ".join(f"--conf '{key}={value}'" for key, value in conf.items())
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("use_hub.py")), platform, str(folder)],
        cwd=folder,
        env=SPARK_ENVIRONMENT | ways.environment(platform) | {"PYSPARK_SUBMIT_ARGS": f"{submit} pyspark-shell"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    (folder / "ways.json").unlink()
    files = [path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file()]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found, "\n".join([done.stdout, done.stderr, *files])


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_way_reads_writes_and_writes_exactly_once_and_shows_no_secret(
    ways: Ways, platform: str, tmp_path: Path
) -> None:
    short = SHORT[1:4] if platform == "connect" else SHORT if IS_NEWEST else OF_SPARK
    names = ALL if os.environ.get("TESTS") == "all" else short
    for old in ways.hub.hub_names():
        ways.hub.delete_hub(old)
    jars = {"spark.jars": str(ways.jar_of_the_class())} if "own_class" in names else {}
    store = {STORE: ways.credential_store()} if "secret_in_a_store" in names else {}

    found, written = results(ways, platform, tmp_path, ways.of(*names), **jars, **store)

    assert found == {name: {"read": TWENTY_EACH_WAY} for name in names}
    assert [secret for secret in ways.secrets if secret in written] == []


def test_what_a_machine_does_not_have_is_named_before_anything_is_sent(ways: Ways, tmp_path: Path) -> None:
    hub = {"eventhubs.namespace": "localhost", "eventhubs.name": "mistakes", "eventhubs.customEndpoint": "localhost:1"}
    application = {"auth.tenantId": "t", "auth.clientId": "c"}
    secret = {"auth.type": "clientSecret", **application}
    pfx = {"auth.type": "clientCertificate", **application, "auth.certificatePath": str(ways.certificate.pfx)}
    expected = {
        "variable": (secret | {"auth.clientSecret": "{env:MISSING}"}, "'{env:MISSING}'; expected an environment"),
        "file": (secret | {"auth.clientSecret": "{file:/no/file}"}, "a file that the driver can read"),
        "store": (secret | {"auth.clientSecret": "{hadoop:entra}"}, "to name a credential provider"),
        "certificate": (pfx | {"auth.certificatePath": "/no/file"}, "a file that the driver can read"),
        "password": (pfx | {"auth.certificatePassword": "wrong-marked"}, "expected the password of the file"),
        "pair": (pfx, "'eventhubs.auth.certificatePassword' is not set"),
        "class": ({"auth.credentialProvider": "com.contoso.Missing"}, "the driver does not find it"),
        "type": ({"auth.credentialProvider": "java.lang.String"}, "a class that implements"),
        "two": ({"auth.sasToken": "wrong-marked", "auth.credentialProvider": "X"}, "two ways to sign in"),
        "token": ({"auth.type": "workloadIdentity", "auth.federatedTokenFile": "/no/file"}, "the driver can read"),
    }
    options = {
        name: hub | {f"eventhubs.{key}": text for key, text in given.items()} for name, (given, _) in expected.items()
    }

    found, written = results(ways, "classic", tmp_path, options)

    wrong = {name: found[name] for name, (_, said) in expected.items() if said not in str(found[name].get("message"))}
    assert wrong == {}
    assert "wrong-marked" not in written
