package org.apache.spark.eventhubs.identity

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.signin.TokenIdentity

/**
 * Who a connection signs in as, and what it may do.
 *
 * @param way      kind of credential, as `eventhubs.auth.type` names it; `key` is a policy's key
 * @param policy   of a key
 * @param identity from the token of Microsoft Entra ID
 */
private[spark] final case class SignInReport(
    hub: EventHubName,
    way: String,
    policy: Option[String],
    identity: Option[TokenIdentity],
    consumerGroup: String,
    listen: Admission,
    send: Admission
)

/** @param problem why the service refuses it; None when it is allowed */
private[spark] final case class Admission(problem: Option[String])
