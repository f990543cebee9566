"""Checks how the namespace can be reached: its name, AMQP, AMQP over WebSockets, and its clock."""

from __future__ import annotations

import base64
import os
import socket
import ssl
import time
from contextlib import closing
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from spark_eventhubs.cli.doctor._check import Check, fail, ok, skip, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_AMQPS_PORT: Final = 5671
_HTTPS_PORT: Final = 443
_SECONDS: Final = 10
_AMQP_WITH_SASL: Final = b"AMQP\x03\x01\x00\x00"
# The service accepts a token for 5 minutes after its end, and refuses one that is older by the clock of its client.
_SKEW_TO_FAIL_SECONDS: Final = 300
_SKEW_TO_WARN_SECONDS: Final = 30


def network_checks(
    host: str, port: int | None, *, tls: bool, over_sockets: bool, trusted: str | None = None
) -> Iterator[Check]:
    """The checks `dns`, `amqp`, `websocket` and `clock`. Without a port, the usual ones of AMQP and HTTPS.

    Over WebSockets, nothing uses the port of AMQP, and `amqp` is left out. `trusted` is a file with certificates to
    trust besides those of this machine.
    """
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as problem:  # a name with an empty or long part cannot be encoded
        yield fail("dns", f"{host} has no address: {problem}", "Check the name of the host, and the DNS")
        yield fail("websocket" if over_sockets else "amqp", f"{host} has no address")
        return
    yield ok("dns", host)
    amqp_port, socket_port = (port or _AMQPS_PORT, port_of_sockets(port)) if tls else (port or 5672, port or 5672)
    context = trusting(trusted) if tls else None
    amqp_problem = None if over_sockets else _problem(lambda: _amqp(host, amqp_port, context))
    answers: list[str] = []
    websocket_problem = _problem(lambda: answers.append(_websocket(host, socket_port, context)))
    if not over_sockets:
        yield _amqp_check(f"{host}:{amqp_port}", amqp_problem, sockets_work=websocket_problem is None)
    yield _websocket_check(f"{host}:{socket_port}", websocket_problem, needed=over_sockets)
    yield _clock(answers[0] if answers else "")


def _amqp_check(place: str, problem: str | None, *, sockets_work: bool) -> Check:
    if problem is None:
        return ok("amqp", f"{place} speaks AMQP")
    if sockets_work:
        advice = "Open the port in the firewall, or set eventhubs.transport to amqpWebSockets"
        return fail("amqp", f"{place}: {problem}", advice)
    return fail("amqp", f"{place}: {problem}", "Check that the hub runs, and the firewall")


def _websocket_check(place: str, problem: str | None, *, needed: bool) -> Check:
    if problem is None:
        return ok("websocket", f"{place} speaks AMQP over WebSockets")
    if needed:
        return fail("websocket", f"{place}: {problem}", "Check that the hub runs, and the firewall")
    return warn("websocket", f"{place}: {problem}", "Needed only with eventhubs.transport=amqpWebSockets")


def _problem(check: Callable[[], object]) -> str | None:
    try:
        check()
    except ssl.SSLError as problem:
        return f"TLS fails: {problem.reason or problem}"
    except TimeoutError:
        return f"no answer in {_SECONDS} s"
    except OSError as problem:
        return problem.strerror or str(problem)
    return None


def _amqp(host: str, port: int, context: ssl.SSLContext | None) -> None:
    with closing(_connected(host, port, context)) as connection:
        connection.sendall(_AMQP_WITH_SASL)
        if not connection.recv(8).startswith(b"AMQP"):
            raise OSError("it does not speak AMQP")


def _websocket(host: str, port: int, context: ssl.SSLContext | None) -> str:
    """The head of the answer."""
    request = (
        f"GET /$servicebus/websocket HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
        "Sec-WebSocket-Protocol: AMQPWSB10\r\n\r\n"
    )
    with closing(_connected(host, port, context)) as connection:
        connection.sendall(request.encode())
        head = b""
        while b"\r\n\r\n" not in head and (part := connection.recv(4096)):
            head += part
    text = head.partition(b"\r\n\r\n")[0].decode(errors="replace")
    if " 101 " not in text.partition("\r\n")[0]:
        raise OSError(f"it answers '{text.partition(chr(13))[0]}'")
    return text


def port_of_sockets(port: int | None) -> int:
    """A local hub has one port for both; the service has two."""
    return _HTTPS_PORT if port in (None, _AMQPS_PORT) else port


def trusting(trusted: str | None) -> ssl.SSLContext:
    """For TLS, with the certificates of this machine and those of a file."""
    context = ssl.create_default_context()
    if trusted is not None:
        context.load_verify_locations(trusted)
    return context


def _connected(host: str, port: int, context: ssl.SSLContext | None) -> socket.socket:
    connection = socket.create_connection((host, port), timeout=_SECONDS)
    if context is None:
        return connection
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise


def _clock(head: str) -> Check:
    dates = [line.partition(":")[2].strip() for line in head.splitlines() if line.lower().startswith("date:")]
    try:
        theirs = parsedate_to_datetime(dates[0]).timestamp()
    except (IndexError, ValueError):
        return skip("clock", "the server does not say its time")
    skew = time.time() - theirs
    found = f"this machine is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} the server"
    if abs(skew) > _SKEW_TO_FAIL_SECONDS:
        return fail("clock", found, "Set the clock: the service refuses tokens with another time")
    if abs(skew) > _SKEW_TO_WARN_SECONDS:
        return warn("clock", found, "Set the clock")
    return ok("clock", found)
