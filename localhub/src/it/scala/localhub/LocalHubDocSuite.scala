package localhub

import java.nio.file.{Files, Path}

import scala.util.{Try, Using}

import localhub.cli.ArgumentParser
import localhub.http.TestClient
import testkit.TestSuite

/** The pages of the local hub and their evidence are complete and correct: options, requests, metrics, suites. */
class LocalHubDocSuite extends TestSuite {

  private val file = Iterator.iterate(
    Path.of("").toAbsolutePath
  )(_.getParent).map(_.resolve("docs/local-hub.md")).find(Files.exists(_)).get
  private val repository = file.getParent.getParent
  private val rows =
    Seq("local-hub.md", "local-hub/http-api.md", "local-hub/sign-in.md", "local-hub/behaviour.md").flatMap(page =>
      rowsOf(file.getParent.resolve(page))
    )

  private def rowsOf(page: Path): Seq[Seq[String]] =
    Files.readString(page).linesIterator.filter(_.startsWith("| ")).map(_.split('|').map(_.trim).drop(1).toSeq).toSeq

  test("the table of options has the options of the program") {
    val help = ArgumentParser.parse(Seq("--help")).swap.toOption.get
    def options(in: String) = "--[a-z][a-z-]+".r.findAllIn(in).toSet
    val table = rows.map(_.head).filter(_.startsWith("`--")).flatMap(options).toSet
    assert(table == options(help))
  }

  test("every request of the table has an answer") {
    val requests = rows.flatMap(row =>
      "^`(GET|PUT|POST|DELETE) ([^`]*)`".r.findFirstMatchIn(row.head).map(found => found.group(1) -> found.group(2))
    )
    assert(requests.size >= 18)
    Using.resource(LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("telemetry", 1))))) { hub =>
      val client = new TestClient(hub.httpPort)
      requests.foreach { case (method, path) =>
        val concrete =
          path.replace("{name}", "telemetry").replace("{id}", "0").replace("{sequenceNumber}", "0").replace("=N", "=1")
            .replace("{clientId}", "application").replace("{schema}", "User")
        val response = client.call(method, concrete)
        assert(response.statusCode != 405 && !response.body.contains("There is nothing at"), s"$method $path")
        client.call("PUT", "/hubs/telemetry?partitions=1")
      }
    }
  }

  test("every metric is in the table") {
    Using.resource(LocalHub.start(LocalHubConfig())) { hub =>
      val metrics = new TestClient(hub.httpPort).call("GET", "/metrics").body
      val documented = rows.flatMap(row => "`(localhub_[a-z_]+)`".r.findAllMatchIn(row.head).map(_.group(1))).toSet
      assert(documented == "# TYPE ([a-z_]+)".r.findAllMatchIn(metrics).map(_.group(1)).toSet)
    }
  }

  test("the evidence names suites that exist, for every supported operation") {
    val operations = rows.filter(row => row.size == 2 && row(1).matches("(supported|partly.*|not.*)"))
    assert(operations.size > 15)
    val evidence = rowsOf(repository.resolve("docs/internals/local-hub.md")).collect { case Seq(operation, suites) =>
      operation -> "`([^`]+)`".r.findAllMatchIn(suites).map(_.group(1)).toSeq
    }.toMap
    operations.filterNot(_(1).startsWith("not")).foreach { row =>
      assert(evidence.get(row.head).exists(_.nonEmpty), s"no suite for: ${row.head}")
    }
    evidence.foreach { case (operation, suites) =>
      assert(suites.forall(exists), s"$operation: ${suites.filterNot(exists).mkString(", ")}")
    }
  }

  /** A Scala suite is named by its class, a suite for another SDK by its file. */
  private def exists(suite: String): Boolean =
    if (suite.contains('/')) Files.exists(repository.resolve(suite)) else Try(Class.forName(suite)).isSuccess
}
