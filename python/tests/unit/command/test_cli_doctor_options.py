from __future__ import annotations

import pytest
from click.testing import CliRunner

from spark_eventhubs.cli import main


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("eventhubs.auht.type=managedIdentity", "did you mean 'eventhubs.auth.type'?"),
        ("eventhubs.prefetchCount=many", "eventhubs.prefetchCount"),
    ],
)
def test_a_wrong_option_is_refused_without_a_spark_session_too(option: str, expected: str) -> None:
    done = CliRunner().invoke(main, ["doctor", "--no-spark", "--option", option])

    assert (done.exit_code, done.stdout) == (2, "")
    assert expected in done.stderr
