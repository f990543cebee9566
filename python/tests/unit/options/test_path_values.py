"""Paths as this package itself gives them go where it takes paths."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pytest

from spark_eventhubs import (
    OPTIONS,
    ClientCertificate,
    ClientSecret,
    EventHubsConf,
    SecretReference,
    WorkloadIdentity,
    WriteOnce,
)
from spark_eventhubs._conf.option_values import setting
from spark_eventhubs._option_spec import PATHS
from spark_eventhubs.errors import OptionError, OptionTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

CONF = EventHubsConf(
    connection_string="Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=k;EntityPath=telemetry"
)
FILE = PurePosixPath("/run/secrets/client.pem")


class Entry:
    """A path whose `str` is no path, as an entry of `os.scandir`."""

    def __init__(self, path: str | bytes) -> None:
        self.path = path

    def __fspath__(self) -> Any:  # noqa: ANN401
        return self.path


@pytest.mark.parametrize("path", [FILE, str(FILE), Entry(str(FILE))], ids=["path", "text", "entry"])
def test_a_file_may_be_a_path(path: Any) -> None:  # noqa: ANN401
    certificate = ClientCertificate(tenant_id="t", client_id="c", certificate_path=path).to_options()
    workload = WorkloadIdentity(token_file_path=path).to_options()
    once = WriteOnce(write_id="a", version=1, log_location=path).to_options()

    assert certificate["eventhubs.auth.certificatePath"] == str(FILE)
    assert workload["eventhubs.auth.federatedTokenFile"] == str(FILE)
    assert once["eventhubs.writeLogLocation"] == str(FILE)
    assert SecretReference.file(path) == f"{{file:{FILE}}}"
    assert EventHubsConf(**CONF_KEYWORDS, tls_trusted_certificates=path) == CONF.replace(tls_trusted_certificates=path)
    assert {key: setting(key, path)[1] for key in PATHS} == dict.fromkeys(PATHS, str(FILE))
    assert EventHubsConf.from_options({**CONF, "eventhubs.tls.trustedCertificates": path}) == CONF.replace(
        tls_trusted_certificates=str(FILE)
    )


CONF_KEYWORDS: dict[str, Any] = {"connection_string": CONF["eventhubs.connectionString"]}


@pytest.mark.parametrize(
    "call",
    [
        lambda path: ClientCertificate(tenant_id="t", client_id="c", certificate_path=path).to_options(),
        lambda path: WorkloadIdentity(token_file_path=path).to_options(),
        SecretReference.file,
        lambda path: CONF.replace(tls_trusted_certificates=path),
        lambda path: CONF.replace(write_log_location=path),
    ],
)
def test_what_is_no_path_is_refused_with_what_a_file_may_be(call: Callable[[Any], object]) -> None:
    for wrong in (5, b"/c.pem", Entry(b"/c.pem")):
        with pytest.raises(OptionTypeError, match="as text or as a"):
            call(wrong)
    with pytest.raises(OptionError, match="as text or as a"):
        call(" ")


@pytest.mark.parametrize("secret", [ClientSecret(tenant_id="t", client_id="c", client_secret="")])
def test_other_texts_still_name_where_azure_shows_them(secret: ClientSecret) -> None:
    with pytest.raises(OptionError, match="the value that Azure shows"):
        secret.to_options()


def test_a_path_is_no_value_of_another_option() -> None:
    with pytest.raises(OptionTypeError, match="expected some text"):
        CONF.replace(consumer_group=Path("dashboards"))  # type: ignore[arg-type]


def test_each_option_that_names_a_path_may_be_one() -> None:
    keys = {spec.key for spec in OPTIONS if re.search(r"(?i)(path|file|location|certificates)$", spec.key)}

    assert keys == set(PATHS)
