package org.apache.spark.eventhubs

import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.{BeforeAndAfterAll, Suite}

import localhub.{HubConfig, LocalHub, LocalHubConfig, ServiceSettings}
import testkit.{Eventually, HubService}

/** A local hub over AMQP for a suite. Each test creates its own event hubs. */
trait HubFixture extends BeforeAndAfterAll with Eventually { this: Suite =>

  private var running = Option.empty[LocalHub]
  private val hubNumber = new AtomicInteger

  /** `HUB_SERVICE` adds the rules of the strict profile. */
  protected def hubConfig: LocalHubConfig = LocalHubConfig()

  private def stricter(own: ServiceSettings): ServiceSettings = {
    val strict = ServiceSettings.Strict.copy(
      timeScale = own.timeScale,
      maxMessageBytes = own.maxMessageBytes,
      unsettledReaders = own.unsettledReaders
    )
    val age = HubService.current.maxAge
    val oldest = if (own.managementMaxAge.compareTo(age) > 0) own.managementMaxAge else age
    HubService.current match {
      case HubService.Usual => own
      case HubService.Strict => strict.copy(managementMaxAge = oldest)
      case HubService.StrictQuick => strict.copy(managementPerSecond = Some(10), managementMaxAge = oldest)
    }
  }

  protected def localHub: LocalHub = running.getOrElse(throw new AssertionError("the local hub is not running"))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    running = Some(LocalHub.start(hubConfig.copy(service = stricter(hubConfig.service))))
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
