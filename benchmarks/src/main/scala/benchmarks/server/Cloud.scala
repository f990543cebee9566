package benchmarks.server

/**
 * What a server of the profile `cloud` has in addition to its plain port.
 *
 * @param certificate for TLS
 * @param delayMillis delay of the proxy in each direction
 */
final case class Cloud(certificate: ServerCertificate, delayMillis: Double)
