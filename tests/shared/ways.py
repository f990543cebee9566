"""The options of each way to sign in, for a hub of a local hub with a stand-in authority."""

from __future__ import annotations

import base64
import hashlib
import hmac
import shutil
import subprocess
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from processes import SPARK_HOME
from spark_eventhubs import LocalHub, SecretReference
from spark_eventhubs._session import connector_jar
from spark_eventhubs.local_hub import LocalAuthority

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs.local_hub import LocalApplication

SUBJECT = "system:serviceaccount:jobs:pipeline"
PARAMETER = "marked-parameter"
PASSWORD = "marked-password"
STORE = "spark.hadoop.hadoop.security.credential.provider.path"


class Ways:
    """A hub, an authority and, in a folder, the files that sign in."""

    def __init__(self, hub: LocalHub, authority: LocalAuthority, folder: Path) -> None:
        self.hub = hub
        self.authority = authority
        self.folder = folder
        owner = ["Data Owner"]
        self.application = authority.register("pipeline", federated_subjects=[SUBJECT], roles=owner)
        self.machine = authority.register("machine", managed_identity="system", roles=owner)
        self.user = authority.register("user", managed_identity="user", roles=owner)
        self.certificate = self.application.create_certificate(folder, password=PASSWORD)
        token = authority.federated_token(SUBJECT)
        self.federated = self.file("federated", token)
        self.secrets = [str(self.application.secret), PASSWORD, PARAMETER, token]

    def file(self, name: str, content: str) -> str:
        """The path of a new file."""
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    def of(self, *names: str) -> dict[str, dict[str, str]]:
        """The options of these ways, each with a hub of its own."""
        return {name: self._hub(name) | getattr(self, name)() for name in names}

    def environment(self, platform: str) -> dict[str, str]:
        """What a virtual machine has or, for Spark Connect, App Service. The address of the authority is an option."""
        values = self.authority.environment(self.machine) | self.authority.environment(self.application)
        del values["AZURE_AUTHORITY_HOST"]
        if platform == "classic":
            del values["IDENTITY_ENDPOINT"], values["IDENTITY_HEADER"]
            values["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = self.authority.identity_url
        return values | {"MARKED_SECRET": str(self.application.secret)}

    def _hub(self, name: str) -> dict[str, str]:
        self.hub.create_hub(name.replace("_", "-"), partitions=2)
        named = {"namespace": "localhost", "name": name.replace("_", "-"), "startingPosition": "earliest"}
        named |= {"customEndpoint": f"localhost:{self.hub.tls_port}", "operationTimeout": "20s"}
        return {f"eventhubs.{key}": text for key, text in named.items()}

    def _auth(self, kind: str, **options: str) -> dict[str, str]:
        return {f"eventhubs.auth.{key}": text for key, text in {"type": kind, **options}.items()}

    def _entra(self, kind: str, **options: str) -> dict[str, str]:
        application: LocalApplication = self.application
        ids = {"tenantId": application.tenant_id, "clientId": application.client_id}
        return self._auth(kind, **ids, **options, authorityHost=self.authority.url)

    def client_secret(self) -> dict[str, str]:
        return self._entra("clientSecret", clientSecret=str(self.application.secret))

    def secret_in_a_file(self) -> dict[str, str]:
        file = SecretReference.file(self.file("client-secret", f"{self.application.secret}\n"))
        return self._entra("clientSecret", clientSecret=file)

    def secret_in_a_variable(self) -> dict[str, str]:
        return self._entra("clientSecret", clientSecret=SecretReference.environment("MARKED_SECRET"))

    def secret_in_a_store(self) -> dict[str, str]:
        return self._entra("clientSecret", clientSecret=SecretReference.hadoop("entra"))

    def pem(self) -> dict[str, str]:
        return self._entra("clientCertificate", certificatePath=str(self.certificate.pem))

    def pfx(self) -> dict[str, str]:
        password = SecretReference.file(self.file("password", PASSWORD))
        options = {"certificatePath": str(self.certificate.pfx), "certificatePassword": password}
        return self._entra("clientCertificate", **options)

    def system_identity(self) -> dict[str, str]:
        return self._auth("managedIdentity")

    def user_identity(self) -> dict[str, str]:
        return self._auth("managedIdentity", clientId=self.user.client_id)

    def workload_identity(self) -> dict[str, str]:
        return self._entra("workloadIdentity", federatedTokenFile=self.federated)

    def default_chain(self) -> dict[str, str]:
        return self._auth("default", authorityHost=self.authority.url)

    def own_class(self) -> dict[str, str]:
        token = self.authority.token(self.application)
        self.secrets.append(token)
        file = self.file("access-token", token)
        parameters = f'{{"file": "{file}", "key": "{SecretReference.file(self.file("key", PARAMETER))}"}}'
        return {
            "eventhubs.auth.credentialProvider": "FileTokens",
            "eventhubs.auth.tokenParameters": parameters,
        }

    def sas_token(self) -> dict[str, str]:
        return {"eventhubs.auth.sasToken": self.signature()}

    def sas_in_a_file(self) -> dict[str, str]:
        return self._auth("sas", sasToken=SecretReference.file(self.file("sas", self.signature())))

    def string_in_a_file(self) -> dict[str, str]:
        string = self.hub.connection_string("string-in-a-file", tls=True)
        place = SecretReference.file(self.file("connection-string", string))
        return {"eventhubs.connectionString": place}

    def signature(self) -> str:
        """A shared access signature for the namespace."""
        parts = dict(part.split("=", 1) for part in self.hub.connection_string().split(";") if "=" in part)
        self.secrets.append(parts["SharedAccessKey"])
        resource, expiry = quote("sb://localhost/", safe=""), int(time.time()) + 3600
        signed = hmac.digest(parts["SharedAccessKey"].encode(), f"{resource}\n{expiry}".encode(), hashlib.sha256)
        signature = quote(base64.b64encode(signed).decode(), safe="")
        self.secrets.append(signature)
        name = parts["SharedAccessKeyName"]
        return f"SharedAccessSignature sr={resource}&sig={signature}&se={expiry}&skn={name}"

    def credential_store(self) -> str:
        """The address of a new credential store of Hadoop with the client secret."""
        file = self.folder / "secrets.jceks"
        file.unlink(missing_ok=True)
        store = f"localjceks://file{file}"
        command = ["java", "-cp", f"{SPARK_HOME}/jars/*", "org.apache.hadoop.security.alias.CredentialShell"]
        command += ["create", "entra", "-value", str(self.application.secret), "-provider", store]
        subprocess.run(command, check=True, capture_output=True)
        return store

    def jar_of_the_class(self) -> Path:
        """The jar with `FileTokens`."""
        source = Path(__file__).parent.parent / "signin" / "FileTokens.java"
        compiler = shutil.which("javac")
        assert compiler, "the test compiles a user's class and needs a JDK"
        command = [compiler, "--release", "11", "-cp", str(connector_jar()), "-d", str(self.folder), str(source)]
        subprocess.run(command, check=True)
        jar = self.folder / "tokens.jar"
        with zipfile.ZipFile(jar, "w") as archive:
            archive.write(self.folder / "FileTokens.class", "FileTokens.class")
        return jar


@contextmanager
def running_ways(folder: Path) -> Iterator[Ways]:
    """A hub with TLS and its authority."""
    with LocalHub(tls_port=0) as hub, LocalAuthority(hub) as authority:
        yield Ways(hub, authority, folder)
