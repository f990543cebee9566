"""Places where secrets are kept, for options and credentials that take a secret."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.local_files import local_file
from spark_eventhubs._conf.refusals import file_text, option_error, option_type_error

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Self

_PLACE: Final = re.compile(r"\{(env|file|hadoop):(.+)\}", re.DOTALL)


class SecretReference(str):
    """Where a secret is kept, in place of its text. The driver and each executor read it there when they sign in.

    The query's options, plan and checkpoint hold only the place.

    Examples:
        >>> ClientSecret(tenant_id=tenant, client_id=client, client_secret=SecretReference.file("/run/secrets/entra"))
    """

    __slots__ = ()

    @classmethod
    def file(cls, path: str | PathLike[str]) -> Self:
        """A file on the driver and every executor. The connector reads it again for each token, so it may change.

        A relative path is a file that Spark distributes (`spark-submit --files`).
        """
        return cls(f"{{file:{file_text('SecretReference: path', path)}}}")

    @classmethod
    def environment(cls, name: str) -> Self:
        """An environment variable of the driver's and every executor's process, such as by `spark.executorEnv`."""
        return cls(f"{{env:{_text('name', name)}}}")

    @classmethod
    def hadoop(cls, alias: str) -> Self:
        """An alias in Hadoop's credential provider (`spark.hadoop.hadoop.security.credential.provider.path`)."""
        return cls(f"{{hadoop:{_text('alias', alias)}}}")

    def __repr__(self) -> str:
        """The place, which is no secret."""
        return f"SecretReference({str(self)!r})"


def is_reference(text: str) -> bool:
    """Whether the text of an option is a place, and no secret."""
    return bool(_PLACE.fullmatch(text.strip()))


def text_at(text: str) -> str:
    """The text of an option, or the secret at the place that it names, as far as this process can read it.

    Raises:
        LookupError: it cannot. The error says what was expected.
    """
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        return text
    kind, where = found.groups()
    if kind == "env":
        if where not in os.environ:
            raise LookupError("an environment variable that is set")
        return os.environ[where]
    if kind == "file":
        try:
            return Path(local_file(where)).read_text(encoding="utf-8").strip()
        except OSError as failure:
            raise LookupError(f"a file to read: {failure.strerror}") from None
    raise LookupError("{env:NAME} or {file:/path}, because only the jar reads Hadoop's credential provider")


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise option_type_error(f"SecretReference: {what} is a {type(value).__name__}; expected text")
    if not value.strip():
        raise option_error(f"SecretReference: {what} is empty; expected the place of a secret")
    return value
