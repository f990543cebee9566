"""Options of the connection. Generated from the option table: change it there, and run `make options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spark_eventhubs._conf.base import ConfBase

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from os import PathLike

    from spark_eventhubs.conf import EventHubsConf


class ConnectionMethods(ConfBase):
    """A method for each option."""

    def with_connection_string(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.connectionString`.

        Connection string of the event hub, as the Azure portal shows it. For a namespace's connection string
        also set `eventhubs.name`. A value encrypted by the legacy connector 2.3.22 is accepted.

        Args:
            value: Text.

        Example:
            >>> conf.with_connection_string(text)
        """
        return self._with_value("eventhubs.connectionString", value)

    def with_fully_qualified_namespace(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.namespace`.

        Host name of the namespace, such as `contoso.servicebus.windows.net`. Set it when there is no
        connection string.

        Args:
            value: Text.

        Example:
            >>> conf.with_fully_qualified_namespace("contoso.servicebus.windows.net")
        """
        return self._with_value("eventhubs.namespace", value)

    def with_eventhub_name(self, value: str | Sequence[str]) -> EventHubsConf:
        """Sets `eventhubs.name`.

        Name of the event hub. Set it when the connection string has no `EntityPath`. A query reads several
        event hubs of the namespace when their names are separated by commas, such as `orders,returns`. A
        query that writes may leave both out: then the column `eventHub` names the hub of each row.

        Args:
            value: A name, or a list of names.

        Example:
            >>> conf.with_eventhub_name("telemetry")
        """
        return self._with_value("eventhubs.name", value)

    def with_auth_type(
        self,
        value: Literal[
            "sas",
            "clientSecret",
            "clientCertificate",
            "managedIdentity",
            "workloadIdentity",
            "default",
            "credentialProvider",
        ],
    ) -> EventHubsConf:
        """Sets `eventhubs.auth.type`.

        How the connector signs in. Set it when the connection string has no key. `sas` needs `auth.sasToken`.
        `clientSecret` needs `auth.tenantId`, `auth.clientId` and `auth.clientSecret`; `clientCertificate`
        needs `auth.certificatePath` instead of the secret. `managedIdentity` and `workloadIdentity` use the
        identity of the machine or pod. `default` tries the environment, workload identity, managed identity
        and developer tools, in the Azure SDK's order. `credentialProvider` uses a class of yours.

        Args:
            value: One of `sas`, `clientSecret`, `clientCertificate`, `managedIdentity`, `workloadIdentity`,
                `default`, `credentialProvider`.

        Example:
            >>> conf.with_auth_type("managedIdentity")
        """
        return self._with_value("eventhubs.auth.type", value)

    def with_auth_tenant_id(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.tenantId`.

        Microsoft Entra tenant id, for `clientSecret`, `clientCertificate` and `workloadIdentity`.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_tenant_id("00000000-0000-0000-0000-000000000000")
        """
        return self._with_value("eventhubs.auth.tenantId", value)

    def with_auth_client_id(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.clientId`.

        Client id of the application or user-assigned identity, for `clientSecret`, `clientCertificate`,
        `managedIdentity` and `workloadIdentity`.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_client_id("00000000-0000-0000-0000-000000000000")
        """
        return self._with_value("eventhubs.auth.clientId", value)

    def with_auth_client_secret(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.clientSecret`.

        Client secret of the application, for `clientSecret`.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_client_secret(text)
        """
        return self._with_value("eventhubs.auth.clientSecret", value)

    def with_auth_sas_token(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.sasToken`.

        Shared access signature, for `sas`. The query fails when it expires. With `{file:/path}`, the
        connector reads the file again before the token expires.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_sas_token(text)
        """
        return self._with_value("eventhubs.auth.sasToken", value)

    def with_auth_certificate_path(self, value: str | PathLike[str]) -> EventHubsConf:
        """Sets `eventhubs.auth.certificatePath`.

        PEM or PFX file with the application's certificate and private key, for `clientCertificate`. It must
        be on the driver and on every executor. A relative path is a file that Spark distributes (`--files`).

        Args:
            value: Text, or an os.PathLike such as a pathlib.Path.

        Example:
            >>> conf.with_auth_certificate_path("/run/secrets/client.pem")
        """
        return self._with_value("eventhubs.auth.certificatePath", value)

    def with_auth_certificate_password(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.certificatePassword`.

        Password of a PFX file, for `clientCertificate`.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_certificate_password(text)
        """
        return self._with_value("eventhubs.auth.certificatePassword", value)

    def with_auth_federated_token_file(self, value: str | PathLike[str]) -> EventHubsConf:
        """Sets `eventhubs.auth.federatedTokenFile`.

        File with the pod's federated token, for `workloadIdentity`. It must be on the driver and on every
        executor. Default: the environment variable `AZURE_FEDERATED_TOKEN_FILE`.

        Args:
            value: Text, or an os.PathLike such as a pathlib.Path.

        Example:
            >>> conf.with_auth_federated_token_file("/var/run/secrets/azure/tokens/azure-identity-token")
        """
        return self._with_value("eventhubs.auth.federatedTokenFile", value)

    def with_auth_authority_host(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.authorityHost`.

        Where Microsoft Entra ID is, for `clientSecret`, `clientCertificate`, `workloadIdentity` and
        `default`: `AzureCloud`, `AzureUSGovernment`, `AzureChinaCloud`, or an HTTPS address. At an address
        that is not Microsoft's, the connector does not ask Microsoft's public cloud about the authority.
        Default: the environment variable `AZURE_AUTHORITY_HOST`, else `AzureCloud`.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_authority_host("AzureUSGovernment")
        """
        return self._with_value("eventhubs.auth.authorityHost", value)

    def with_auth_credential_provider(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.credentialProvider`.

        Class of yours that implements `org.apache.spark.eventhubs.credentials.TokenProvider`, in a jar of the
        driver and the executors. It replaces `auth.type` and the AAD callback of the legacy connector.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_credential_provider("com.contoso.Tokens")
        """
        return self._with_value("eventhubs.auth.credentialProvider", value)

    def with_auth_token_parameters(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.auth.tokenParameters`.

        JSON object of texts, which the constructor of `auth.credentialProvider` gets as a `java.util.Map`. A
        value may name the place of a secret.

        Args:
            value: Text.

        Example:
            >>> conf.with_auth_token_parameters(text)
        """
        return self._with_value("eventhubs.auth.tokenParameters", value)

    def with_transport(self, value: Literal["amqp", "amqpWebSockets"]) -> EventHubsConf:
        """Sets `eventhubs.transport`.

        `amqp` uses port 5671. `amqpWebSockets` uses port 443, for networks that allow only HTTPS.

        Args:
            value: One of `amqp`, `amqpWebSockets`. Default: `amqp`.

        Example:
            >>> conf.with_transport('amqpWebSockets')
        """
        return self._with_value("eventhubs.transport", value)

    def with_custom_endpoint(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.customEndpoint`.

        Host, with or without port, that the connector connects to instead of the namespace, such as a gateway
        in front of a private endpoint. Its certificate must be valid for this host; tokens are still for the
        namespace.

        Args:
            value: Text.

        Example:
            >>> conf.with_custom_endpoint("gateway.contoso.com:5671")
        """
        return self._with_value("eventhubs.customEndpoint", value)

    def with_tls_trusted_certificates(self, value: str | PathLike[str]) -> EventHubsConf:
        """Sets `eventhubs.tls.trustedCertificates`.

        Path of a PEM file with certificates of authorities that the connection and the sign-in trust, in
        addition to those of the JVM. The driver and every executor need the file; a relative path may name a
        file of `spark.files`.

        Args:
            value: Text, or an os.PathLike such as a pathlib.Path.

        Example:
            >>> conf.with_tls_trusted_certificates("/etc/ssl/proxy.pem")
        """
        return self._with_value("eventhubs.tls.trustedCertificates", value)

    def with_proxy_address(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.proxy.address`.

        HTTP proxy, such as `proxy.contoso.com:3128`. Needs `amqpWebSockets`. If not set, the environment
        (`HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`) or the JVM (`https.proxyHost`) names the proxy. See
        docs/platforms.md.

        Args:
            value: Text.

        Example:
            >>> conf.with_proxy_address("proxy.contoso.com:3128")
        """
        return self._with_value("eventhubs.proxy.address", value)

    def with_proxy_username(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.proxy.username`.

        User name for signing in to the proxy.

        Args:
            value: Text.

        Example:
            >>> conf.with_proxy_username("reader")
        """
        return self._with_value("eventhubs.proxy.username", value)

    def with_proxy_password(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.proxy.password`.

        Password for signing in to the proxy.

        Args:
            value: Text.

        Example:
            >>> conf.with_proxy_password(text)
        """
        return self._with_value("eventhubs.proxy.password", value)

    def with_proxy_authentication(self, value: Literal["basic", "digest"]) -> EventHubsConf:
        """Sets `eventhubs.proxy.authentication`.

        How the user name and the password are sent to the proxy.

        Args:
            value: One of `basic`, `digest`. Default: `basic`.

        Example:
            >>> conf.with_proxy_authentication('digest')
        """
        return self._with_value("eventhubs.proxy.authentication", value)

    def with_operation_timeout(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.operationTimeout`.

        Longest wait for one operation of the service, retries included. If only `receiverTimeout` is set and
        it is longer, its value is used.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.

        Example:
            >>> conf.with_operation_timeout(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.operationTimeout", value)

    def with_max_retries(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.retry.maxRetries`.

        Sets how long one attempt to connect or to send may take: `operationTimeout / (maxRetries + 1)`, 15 s
        by default and 1 s at least. It does not limit the retries of reads and writes: these end with
        `operationTimeout` or `sendTimeout`. It limits the retries of the SDK while a reader connects, of the
        check before a write, and of the list of hubs (2 at most).

        Args:
            value: A whole number from 0 to 100. Default: `3`.

        Example:
            >>> conf.with_max_retries(5)
        """
        return self._with_value("eventhubs.retry.maxRetries", value)

    def with_ignore_unknown_options(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.ignoreUnknownOptions`.

        `true` logs a warning instead of rejecting the name of an option: a name that is unknown, lacks its
        prefix, or belongs to Spark's Kafka source or to the legacy connector. Wrong values are still
        rejected.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_ignore_unknown_options(True)
        """
        return self._with_value("eventhubs.ignoreUnknownOptions", value)
