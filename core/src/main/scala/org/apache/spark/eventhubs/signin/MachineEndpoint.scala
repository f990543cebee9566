package org.apache.spark.eventhubs.signin

import com.azure.core.util.Configuration

/** Where a managed identity gets its tokens on this machine. */
private[signin] object MachineEndpoint {

  /** A virtual machine has this address. */
  private val Usual = "http://169.254.169.254"

  /** The first of these that is set, as the SDK chooses: App Service and Azure Arc set one, and a pod the other. */
  private val Variables = Seq("IDENTITY_ENDPOINT", "AZURE_POD_IDENTITY_AUTHORITY_HOST")

  def address: String = Variables.flatMap(name => Option(Configuration.getGlobalConfiguration.get(name)))
    .find(_.nonEmpty).getOrElse(Usual)
}
