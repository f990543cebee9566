package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import testkit.TestSuite

/** The tests that docs/internals/reliability.md names exist. */
class DeliverySemanticsDocSuite extends TestSuite {

  private val root = Iterator.iterate(Path.of("").toAbsolutePath)(_.getParent).find(folder =>
    Files.exists(folder.resolve("docs/delivery-semantics.md"))
  ).get

  private val evidence = Files.readString(root.resolve("docs/internals/reliability.md"))

  private def words(page: String, pattern: String): Seq[String] =
    pattern.r.findAllMatchIn(page).map(_.group(1)).toSeq.distinct

  private def sources(folder: String): Seq[Path] =
    Files.walk(root.resolve(folder)).iterator.asScala.toSeq.filter(_.toString.endsWith(".scala"))

  test("every suite that the page of evidence names exists") {
    val code = Seq("core/src/test", "core/src/it").flatMap(sources).map(Files.readString(_)).mkString("\n")
    val named = words(evidence, "`(\\w+Suite)`")
    assert(named.length > 10)
    assert(named.filterNot(suite => s"class $suite\\b".r.findFirstIn(code).isDefined).isEmpty)
  }

  test("every test file that the page of evidence names exists") {
    val named = words(evidence, "`(test_\\w+\\.py)`")
    val files = Files.walk(root.resolve("tests")).iterator.asScala.toSeq.map(_.getFileName.toString).toSet
    assert(named.nonEmpty && named.filterNot(files).isEmpty)
  }
}
