package localhub.amqp.layer

import java.util.concurrent.atomic.AtomicLong

/**
 * What the server does with HTTP requests.
 *
 * @param unread    bytes of requests that have not arrived completely, on all connections
 * @param maxUnread a further body is refused when there are more
 */
private[amqp] final class HttpService(
    val guard: OriginGuard,
    val resource: HttpResource,
    val unread: AtomicLong,
    val maxUnread: Long
)
