"""Calls of the Azure SDK whose end or refusal the SDK itself does not tell."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

_SIGN_IN_LOGGER: Final = "azure.eventhub._pyamqp.cbs"


class SignInRefusals(logging.Handler):
    """Remembers why the service refused to sign in. The SDK writes the reason to its log only."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.last: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps the AMQP condition of a refused token."""
        if "Put token error" in str(record.msg) and isinstance(record.args, tuple) and record.args:
            reason = record.args[0]
            self.last = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


refusals: Final = SignInRefusals()


def watch_sign_in() -> None:
    """From now on, `refusals` knows why the service refuses to sign in."""
    sign_in = logging.getLogger(_SIGN_IN_LOGGER)
    sign_in.setLevel(logging.INFO)
    if refusals not in sign_in.handlers:
        sign_in.addHandler(refusals)
    refusals.last = None


def within(seconds: float, call: Callable[[], _T]) -> _T:
    """The result of a call. Raises TimeoutError after the given time, because the SDK may wait for ever."""
    results: list[_T] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            results.append(call())
        except BaseException as failure:  # noqa: BLE001 - it is raised in the thread that waits
            failures.append(failure)
        ended.set()

    # A daemon, because a call without an end must not keep this process alive.
    threading.Thread(target=run, daemon=True).start()
    if not ended.wait(seconds):
        raise TimeoutError(f"no answer in {seconds:g} s")
    if failures:
        raise failures[0]
    return results[0]
