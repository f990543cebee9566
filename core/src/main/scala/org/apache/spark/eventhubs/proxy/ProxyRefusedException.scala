package org.apache.spark.eventhubs.proxy

import java.io.IOException

/**
 * An HTTP proxy opens no tunnel for a request of a sign-in.
 *
 * @param proxy   address of the proxy, and what names it
 * @param said    the reason, as part of a sentence
 * @param isFinal whether a new attempt gets the same answer
 */
private[eventhubs] final class ProxyRefusedException(
    val proxy: String,
    val said: String,
    val isFinal: Boolean,
    cause: Throwable
) extends IOException(s"the HTTP proxy $proxy: $said", cause)
