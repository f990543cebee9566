package javaapi

import java.nio.file.{Files, Path, Paths}

import testkit.TestSuite

/** The build compiles the code of docs/migration.md, apart from the legacy callback, which is for the legacy jar. */
class MigrationDocSuite extends TestSuite {

  private val root: Path =
    Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).find(folder =>
      Files.exists(folder.resolve("docs/migration.md"))
    ).get

  private def text(file: String): String = new String(Files.readAllBytes(root.resolve(file)), "UTF-8")

  private def withoutSpace(code: String): String = code.replaceAll("\\s", "")

  private def blocks(language: String): Seq[String] =
    s"(?s)```$language\n(.*?)```".r.findAllMatchIn(text("docs/migration.md")).map(_.group(1)).toSeq

  test("the page's Java is what the build compiles") {
    val source = withoutSpace(text("core/src/test/java/javaapi/MigratedJob.java"))
    assert(blocks("java").size == 1 && blocks("java").forall(block => source.contains(withoutSpace(block))))
  }

  test("the page's Scala in place of the callback is what the build compiles") {
    val source = withoutSpace(text("core/src/test/scala/javaapi/MigratedScalaJob.scala"))
    assert(blocks("scala").map(block => source.contains(withoutSpace(block))) == Seq(false, true))
  }

  test("the options that replace a callback are accepted") {
    val conf = MigratedScalaJob.conf("contoso-tenant", "client", "c2VjcmV0")
    assert(conf.name == "telemetry" && conf.toMap("eventhubs.auth.type") == "clientSecret")
  }
}
