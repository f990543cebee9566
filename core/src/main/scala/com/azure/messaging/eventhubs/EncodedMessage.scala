package com.azure.messaging.eventhubs

import org.apache.qpid.proton.message.impl.MessageImpl

/**
 * An encoded message, which the task decodes as far as it needs. The SDK sees an empty message.
 *
 * @param bytes exactly the message; must not be changed
 */
private final class EncodedMessage(val bytes: Array[Byte]) extends MessageImpl
