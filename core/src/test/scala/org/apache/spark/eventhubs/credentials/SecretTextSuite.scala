package org.apache.spark.eventhubs.credentials

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.file.{Files, Path}

import org.apache.spark.eventhubs.{EventHubsException, Secret}
import testkit.TestSuite

/** A secret's text, or the place where it is kept. */
class SecretTextSuite extends TestSuite {

  private def secret(text: String): Secret =
    SecretText.parse("eventhubs.auth.clientSecret", text).fold(expected => fail(expected), identity)

  private def withFile(content: String)(check: Path => Any): Unit = {
    val file = Files.writeString(Files.createTempFile("secret", ".txt"), content)
    try check(file)
    finally Files.delete(file)
    ()
  }

  test("a text without braces is the secret itself") {
    assert(secret("s3cret~").value == "s3cret~")
    assert(secret("{not a place}").value == "{not a place}")
  }

  test("a secret that looks like a place is written as text") {
    assert(secret("{text:{env:HOME}}").value == "{env:HOME}")
  }

  test("a place of an unknown kind is rejected") {
    assert(SecretText.parse("eventhubs.auth.clientSecret", "{vault:s3cret}") == Left(SecretText.Expected))
  }

  test("an environment variable is read when the secret is used") {
    assert(secret("{env:PATH}").value == System.getenv("PATH"))
  }

  test("a file may begin with a byte order mark, which is no part of the secret") {
    withFile("\uFEFFkey\n")(file => assert(secret(s"{file:$file}").value == "key"))
  }

  test("a file is read at each use, without its last line break") {
    withFile("first\n") { file =>
      val kept = secret(s"{file:$file}")
      assert(kept.value == "first")
      Files.writeString(file, "second")
      assert(kept.value == "second")
    }
  }

  test("a secret that is not there is named, with its option and this machine") {
    def said(text: String) = intercept[EventHubsException](secret(text).value).getMessage
    assert(said("{file:/no/such/file}").contains(
      s"'eventhubs.auth.clientSecret' is '{file:/no/such/file}'; expected a file that ${Machine.name} can read"
    ))
    assert(said("{env:NO_SUCH_VARIABLE}").contains(s"expected an environment variable that is set on ${Machine.name}"))
    assert(said("{hadoop:alias}").contains("'spark.hadoop.hadoop.security.credential.provider.path'"))
    withFile("\n")(file => assert(said(s"{file:$file}").contains("expected a file that is not empty")))
  }

  test("a serialized secret holds the place only, and equal places are equal secrets") {
    withFile("marked-secret") { file =>
      val kept = secret(s"{file:$file}")
      assert(kept.value == "marked-secret" && kept == secret(s"{file:$file}"))
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(kept)
      assert(!bytes.toString("ISO-8859-1").contains("marked-secret"))
      val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
      assert(copy == kept && copy.asInstanceOf[Secret].value == "marked-secret")
    }
  }
}
