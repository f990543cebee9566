package com.azure.messaging.eventhubs

import org.apache.qpid.proton.message.impl.MessageImpl

/**
 * A message as its bytes, which whoever reads it decodes as far as it needs. To the SDK it is an empty one.
 *
 * @param bytes all of the message and nothing else; must not be changed
 */
private final class EncodedMessage(val bytes: Array[Byte]) extends MessageImpl
