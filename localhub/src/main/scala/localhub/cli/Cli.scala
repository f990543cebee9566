package localhub.cli

import java.util.concurrent.CountDownLatch

import localhub.{InvalidHubException, LocalHub, LocalHubException}

/** Runs the program. */
private[localhub] object Cli {
  private val Ok = 0
  private val Refused = 2

  /** @return the exit code, once the hub has ended */
  def run(args: Seq[String]): Int =
    try ArgumentParser.parse(args) match {
        case Left(text) =>
          print(text)
          Ok
        case Right(arguments) => serve(arguments)
      }
    catch {
      case mistake @ (_: UsageException | _: InvalidHubException | _: LocalHubException) =>
        System.err.println(s"spark-eventhubs-localhub: ${mistake.getMessage}")
        Refused
    }

  private def serve(arguments: Arguments): Int = {
    val hub = LocalHub.start(arguments.hub)
    // SIGTERM and SIGINT run the hooks. Closing twice is allowed.
    Runtime.getRuntime.addShutdownHook(new Thread(() => hub.close(), "localhub-shutdown"))
    println(Banner.text(hub))
    arguments.readyFile.foreach(ReadyFile.write(_, hub))
    if (arguments.exitWithStdin) awaitEndOfStdin() else new CountDownLatch(1).await()
    Ok
  }

  private def awaitEndOfStdin(): Unit = {
    val ignored = new Array[Byte](1024)
    while (System.in.read(ignored) >= 0) {}
  }
}
