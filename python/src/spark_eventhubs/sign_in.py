"""Who a conf signs in as, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

from spark_eventhubs._session import options_of, require_connector

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_eventhubs.conf import EventHubsConf

_FORMAT: Final = "eventhubs-sign-in"
_EXPIRY: Final = "unix_micros(tokenExpiresAt) AS tokenExpiresMicros"


@dataclass(frozen=True, kw_only=True)
class SignIn:
    """What `check_sign_in` found. It has no secret.

    Attributes:
        hub: name of the event hub.
        namespace: host name of its namespace.
        way: kind of credential, such as `key`, `sas`, `clientSecret` or `managedIdentity`.
        policy: name of the shared access policy; None without a key.
        application: client id in the token; None without Microsoft Entra ID.
        tenant: tenant id in the token.
        authority: issuer of the token.
        token_expires_at: when the token expires, in UTC.
        consumer_group: the one that was tried for reading.
        may_listen: whether the service admits a reader.
        listen_problem: why not.
        may_send: whether the service admits a sender.
        send_problem: why not.
    """

    hub: str
    namespace: str
    way: str
    policy: str | None
    application: str | None
    tenant: str | None
    authority: str | None
    token_expires_at: datetime | None
    consumer_group: str
    may_listen: bool
    listen_problem: str | None
    may_send: bool
    send_problem: str | None


def check_sign_in(spark: SparkSession, conf: EventHubsConf) -> SignIn:
    """Signs in on the driver, and tries both directions. It reads and sends no event, and runs over Connect too.

    A right, an event hub or a consumer group that is missing is a part of the result, and so is a wrong key. `Manage`
    is not tried. Only a query with `eventhubs.namePattern` needs it.

    Raises:
        OptionError: the conf names no event hub, or several.
        AuthenticationError: Microsoft Entra ID, or your own class, refuses the sign-in.
        UnreachableError: the hub or the sign-in service cannot be reached.
    """
    options = options_of(conf)
    require_connector(spark)
    # PySpark gives a timestamp in the time zone of this process, and without one itself.
    row = spark.read.format(_FORMAT).options(**options).load().selectExpr("*", _EXPIRY).collect()[0]
    return SignIn(
        hub=row["hub"],
        namespace=row["namespace"],
        way=row["way"],
        policy=row["policy"],
        application=row["application"],
        tenant=row["tenant"],
        authority=row["authority"],
        token_expires_at=_utc(row["tokenExpiresMicros"]),
        consumer_group=row["consumerGroup"],
        may_listen=row["listen"],
        listen_problem=row["listenProblem"],
        may_send=row["send"],
        send_problem=row["sendProblem"],
    )


def _utc(micros: int | None) -> datetime | None:
    return None if micros is None else datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=micros)
