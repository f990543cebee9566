package benchmarks.worker

import benchmarks.harness.Request
import com.azure.messaging.eventhubs.EventHubClientBuilder

private object SdkClient {

  private val Port = """sb://([^:;]+:\d+)""".r.unanchored

  /** A builder for the hub of a request. Over TLS the SDK takes another port than 5671 only as a custom endpoint. */
  def builder(request: Request): EventHubClientBuilder = {
    val builder = new EventHubClientBuilder().connectionString(s"${request.server};EntityPath=${request.hub}")
    request.server match {
      case Port(host) if !request.server.contains("UseDevelopmentEmulator") =>
        builder.customEndpointAddress(s"https://$host")
      case _ => builder
    }
  }
}
