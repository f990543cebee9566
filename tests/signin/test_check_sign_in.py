"""`check_sign_in` in a classic session. test_spark_connect.py has it over Spark Connect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from confs import conf_of
from spark_eventhubs import check_sign_in, errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

pytestmark = pytest.mark.timeout(120, func_only=True)


def test_it_says_who_signs_in_and_what_they_may_do(spark: SparkSession, event_hub: LocalEventHub) -> None:
    found = check_sign_in(spark, conf_of(event_hub))

    assert (found.hub, found.way, found.policy) == (event_hub.name, "key", "RootManageSharedAccessKey")
    assert (found.may_listen, found.may_send) == (True, True)
    assert (found.listen_problem, found.send_problem, found.application) == (None, None, None)
    assert "SAS_KEY_VALUE" not in repr(found)


def test_a_wrong_key_is_a_result_and_a_hub_that_does_not_run_an_error(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    wrong = event_hub.connection_string.replace("SAS_KEY_VALUE", "wr0ng")
    found = check_sign_in(spark, conf_of(replace(event_hub, connection_string=wrong)))
    assert (found.may_listen, found.may_send) == (False, False)
    assert "EVENTHUBS_AUTHENTICATION" in (found.listen_problem or "")
    assert "wr0ng" not in repr(found)

    port = event_hub.connection_string.split("sb://")[1].split(";")[0].rstrip("/")
    nowhere = event_hub.connection_string.replace(port, "localhost:1")
    with pytest.raises(errors.UnreachableError):
        check_sign_in(spark, conf_of(replace(event_hub, connection_string=nowhere)))
