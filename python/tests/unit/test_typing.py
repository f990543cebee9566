"""The types of options, as `mypy --strict` checks them in a user's program."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from mypy import api

import spark_eventhubs
from conf_examples import example
from spark_eventhubs import OPTIONS

IMPORTS = """\
from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from azure.identity import ManagedIdentityCredential

from spark_eventhubs import (
    ClientCertificate,
    ClientSecret,
    CredentialProvider,
    EventHubsConf,
    EventPosition,
    NameAndPartition,
    SasToken,
    SecretReference,
    WorkloadIdentity,
)
from spark_eventhubs.conf import ConfOptions, OptionValue

text = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=c2VjcmV0;EntityPath=telemetry"
"""

BAD = """\
conf = EventHubsConf.from_connection_string(text)
EventHubsConf(prefetch_count="many")
EventHubsConf(fail_on_data_loss="no")
EventHubsConf(transport="pigeon")
EventHubsConf(starting_position="beginning")
EventHubsConf(starting_positions={0: 1.5})
EventHubsConf(receiver_timeout=30)
EventHubsConf(max_event_per_trigger=5)
EventHubsConf(text)
EventHubsConf.from_connection_string(5)
EventHubsConf.from_credential("key", fully_qualified_namespace="ns.example.net", eventhub_name="telemetry")
EventHubsConf.from_credential(ManagedIdentityCredential(), namespace="ns.example.net", name="telemetry")
conf.replace(prefetch_count=1.5)
conf.replace(starting_position=timedelta(days=1))
conf.replace(delivery_guarantee="once")
conf.replace(partitions=[0.5])
conf.replace(auth_type="default")
conf.replace(starting_positions={0.5: 1})
conf["eventhubs.name"] = "alerts"
conf.replace(consumer_group=Path("dashboards"))
ClientCertificate(tenant_id="t", client_id="c")
CredentialProvider(class_name="com.contoso.Tokens", parameters={"port": 5})
SecretReference.file(5)
"""

GOOD = """\
conf = EventHubsConf(connection_string=text, starting_position=datetime(2024, 1, 31, tzinfo=timezone.utc))
conf = conf.replace(starting_positions={"0": 5, "1": EventPosition.latest()})
starts: dict[int, EventPosition] = {0: EventPosition.latest()}
conf = conf.replace(starting_positions=starts)
conf = conf.replace(starting_positions={NameAndPartition(name="telemetry", partition_id=0): "earliest"})
secret = ClientSecret(tenant_id="t", client_id="c", client_secret="s")
file = ClientCertificate(tenant_id="t", client_id="c", certificate_path="/c.pfx", password=SecretReference.file("/p"))
own = CredentialProvider(class_name="com.contoso.Tokens", parameters={"key": SecretReference.hadoop("key")})
sas = SasToken(token=SecretReference.environment("S"))
for credential in (file, own, sas, WorkloadIdentity(token_file_path="/token")):
    EventHubsConf.from_credential(credential, fully_qualified_namespace="ns.example.net", eventhub_name="telemetry")
conf = EventHubsConf.from_connection_string(SecretReference.environment("EVENTHUBS"))
conf = EventHubsConf.from_credential(secret, fully_qualified_namespace="ns.example.net", eventhub_name="telemetry")
conf = EventHubsConf.from_credential(
    ManagedIdentityCredential(), fully_qualified_namespace="ns.example.net", eventhub_name="telemetry"
)
options: dict[str, str] = dict(conf)
path = Path("/c.pfx")
file = ClientCertificate(tenant_id="t", client_id="c", certificate_path=path, password=SecretReference.file(path))
EventHubsConf(connection_string=text, tls_trusted_certificates=path).replace(write_log_location=path)
token = WorkloadIdentity(token_file_path=path)


def with_group(group: str | None, limit: int | None, own: ClientSecret | None) -> EventHubsConf:
    options: ConfOptions = {"consumer_group": group, "max_events_per_trigger": limit}
    own_conf = EventHubsConf(credential=own, eventhub_name="a", consumer_group=group, max_events_per_trigger=limit)
    return own_conf.replace(**options)


conf = with_group(None, None, None).replace(consumer_group=None, starting_position=None, credential=None)
job: dict[str, OptionValue | None] = {"eventhubs.connectionString": text, "eventhubs.partitions": [0, 2]}
conf = EventHubsConf.from_options(job)
"""


def checked(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a program that mypy refuses, each once."""
    file = folder / "program.py"
    file.write_text(IMPORTS + program, encoding="utf-8")
    monkeypatch.chdir(folder)
    package = Path(spark_eventhubs.__file__).parents[1]
    # mypy finds an installed package on its own, and refuses the folder of installed packages.
    if package.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(package))
    output, errors, _ = api.run(["--strict", "--config-file=", f"--cache-dir={folder / 'cache'}", str(file)])
    assert not errors
    numbers = {int(number) for number in re.findall(r"^program\.py:(\d+): error", output, re.MULTILINE)}
    assert numbers or "Success: no issues found in 1 source file" in output, output
    lines = file.read_text(encoding="utf-8").splitlines()
    return [lines[number - 1] for number in sorted(numbers)]


@pytest.mark.timeout(300)
def test_mypy_finds_each_wrong_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked(tmp_path, BAD, monkeypatch) == BAD.splitlines()[1:]


@pytest.mark.timeout(300)
def test_mypy_accepts_each_right_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = "".join(f"conf.replace({spec.keyword}={example(spec)})\n" for spec in OPTIONS if spec.keyword)

    assert checked(tmp_path, textwrap.dedent(GOOD) + examples, monkeypatch) == []
