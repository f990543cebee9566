package org.apache.spark.eventhubs.options

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import testkit.TestSuite

/** Compares the generated files with the option table. `UPDATE=1` in the environment rewrites them. */
class OptionDocsSuite extends TestSuite {

  private val root: Path =
    Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).find(folder =>
      Files.exists(folder.resolve("build.sbt"))
    ).get

  private def assertCurrent(file: String, generated: String): Unit = {
    val path = root.resolve(file)
    if (sys.env.get("UPDATE").contains("1")) {
      Files.createDirectories(path.getParent)
      Files.write(path, generated.getBytes(UTF_8))
    }
    assert(Files.exists(path), s"$file is missing; run ${OptionPage.Command}")
    assert(new String(Files.readAllBytes(path), UTF_8) == generated, s"$file is stale; run ${OptionPage.Command}")
  }

  test("docs/options.md agrees with the option table")(assertCurrent("docs/options.md", OptionPage.markdown))

  test("the Python package's table agrees with the option table") {
    assertCurrent("python/src/spark_eventhubs/_options.py", OptionPython.module)
  }

  test("the Python package has the error conditions of the connector") {
    val file = "error/eventhubs-error-conditions.json"
    val conditions = Files.readAllBytes(root.resolve(s"core/src/main/resources/$file"))
    assertCurrent(s"python/src/spark_eventhubs/errors/${file.split('/').last}", new String(conditions, UTF_8))
  }
}
