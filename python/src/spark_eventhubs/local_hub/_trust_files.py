"""Files with the certificates that the clients of an authority and its hub must trust."""

from __future__ import annotations

import os
import tempfile
from base64 import b64decode
from pathlib import Path
from typing import Final

_JAVA_OPTIONS: Final = "JDK_JAVA_OPTIONS"


class TrustFiles:
    """A PEM file and a PKCS #12 file in a temporary folder, until `close()`.

    Args:
        pem: the certificates in PEM.
        pkcs12: the same as a PKCS #12 store in Base64; its password is `changeit`.
    """

    def __init__(self, *, pem: str, pkcs12: str) -> None:
        """Writes the files."""
        self._folder = tempfile.TemporaryDirectory(prefix="spark-eventhubs-", ignore_cleanup_errors=True)
        self.pem = Path(self._folder.name) / "certificates.pem"
        self.pem.write_text(pem, encoding="ascii")
        self.pkcs12 = Path(self._folder.name) / "certificates.p12"
        self.pkcs12.write_bytes(b64decode(pkcs12))

    @property
    def java_options(self) -> list[str]:
        """Flags with which a JVM trusts these certificates, and no others."""
        store = "-Djavax.net.ssl.trustStore"
        return [f"{store}={self.pkcs12}", f"{store}Type=PKCS12", f"{store}Password=changeit"]

    def environment(self) -> dict[str, str]:
        """Variables with which Python, Node and a JVM trust them. Flags that this process has for JVMs are kept."""
        own = os.environ.get(_JAVA_OPTIONS)
        return {
            "REQUESTS_CA_BUNDLE": str(self.pem),
            "SSL_CERT_FILE": str(self.pem),
            "NODE_EXTRA_CA_CERTS": str(self.pem),
            _JAVA_OPTIONS: " ".join([*([own] if own else []), *self.java_options]),
        }

    def close(self) -> None:
        """Deletes the files. May be called more than once."""
        self._folder.cleanup()
