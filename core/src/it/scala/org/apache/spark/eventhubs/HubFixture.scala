package org.apache.spark.eventhubs

import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.{BeforeAndAfterAll, Suite}

import localhub.{HubConfig, LocalHub, LocalHubConfig, ServiceSettings}
import testkit.Eventually

/** A local hub over AMQP for a suite. Each test creates its own event hubs. */
trait HubFixture extends BeforeAndAfterAll with Eventually { this: Suite =>

  private var running = Option.empty[LocalHub]
  private val hubNumber = new AtomicInteger

  /** HUB_SERVICE=strict makes the hub inconvenient. It does not change suites with a configuration of their own. */
  protected def hubConfig: LocalHubConfig =
    if (sys.env.get("HUB_SERVICE").contains("strict")) LocalHubConfig(service = ServiceSettings.Strict)
    else LocalHubConfig()

  protected def localHub: LocalHub = running.getOrElse(throw new AssertionError("the local hub is not running"))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    running = Some(LocalHub.start(hubConfig))
  }

  override protected def afterAll(): Unit =
    try running.foreach(_.close())
    finally super.afterAll()

  protected def newHub(partitions: Int = 4, consumerGroups: Seq[String] = Nil): String = {
    val name = s"hub-${hubNumber.incrementAndGet()}"
    localHub.createHub(HubConfig(name, partitions, consumerGroups.toSet))
    name
  }
}
