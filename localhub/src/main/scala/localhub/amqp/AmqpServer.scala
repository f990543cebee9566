package localhub.amqp

import localhub.auth.SharedAccessPolicy
import localhub.node.Namespace

/**
 * The AMQP 1.0 face of a namespace, listening from construction until `close()`.
 *
 * @param requestedPort 0 for any free port; see [[port]]
 */
final class AmqpServer(
    val namespace: Namespace,
    val policies: Seq[SharedAccessPolicy],
    val host: String,
    requestedPort: Int
) extends AutoCloseable {

  /** The port that is listened on. */
  def port: Int = requestedPort

  override def close(): Unit = ()
}
