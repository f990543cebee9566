package com.azure.messaging.eventhubs

/** The text of a failure that an upgrade of the Azure SDK causes. */
trait SdkUpgrade {

  protected def upgrade(what: String, user: String): String =
    s"The Azure SDK has changed: $what. $user relies on it. Adapt $user and then this suite."
}
