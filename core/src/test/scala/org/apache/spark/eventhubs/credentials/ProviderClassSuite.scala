package org.apache.spark.eventhubs.credentials

import java.time.Instant
import java.util.{Map => JavaMap}

import org.apache.spark.eventhubs.{EventHubsException, Secret}
import testkit.TestSuite

class ProviderClassSuite extends TestSuite {

  private def name(of: Class[_]): String = of.getName

  private def refused(className: String, parameters: (String, Secret)*): String =
    intercept[EventHubsException](ProviderClass.check(className, parameters.toMap)).getMessage

  test("a class is created with its parameters, or without any") {
    val secret = ProviderClass.parameters("""{"token": "t1", "place": "{env:PATH}"}""").fold(fail(_), identity)
    val provider = ProviderClass.create(name(classOf[WithParameters]), secret)
    assert(provider.getToken("scope").token == s"t1 ${System.getenv("PATH")} scope")
    assert(ProviderClass.create(name(classOf[Plain]), Map.empty).getToken("s").token == "plain")
  }

  test("a class that is missing, of another type, or without the constructor is named") {
    assert(refused("com.contoso.Missing").contains("'eventhubs.auth.credentialProvider' is 'com.contoso.Missing'"))
    assert(refused("java.lang.String").contains("expected a class that implements"))
    assert(refused(name(classOf[Plain]), "a" -> Secret("b")).contains("takes a java.util.Map"))
  }

  test("the error of a constructor that fails shows no parameter") {
    val error = intercept[EventHubsException](
      ProviderClass.create(name(classOf[Failing]), Map("secret" -> Secret("hunter2")))
    )
    assert(error.getMessage.contains("java.lang.IllegalStateException") && !error.getMessage.contains("hunter2"))
  }

  test("parameters are a JSON object of texts") {
    Seq("[]", "{", """{"a": 1}""", "{env:PARAMETERS}", """{"a": "{vault:x}"}""").foreach { json =>
      assert(ProviderClass.parameters(json).isLeft, json)
    }
  }

  test("a class in Java may throw an IOException, which is retried") {
    val getToken = classOf[TokenProvider].getMethod("getToken", classOf[String])
    assert(getToken.getExceptionTypes.toSeq == Seq(classOf[Exception]))
  }

  test("a token's text shows when it expires, and not the token") {
    assert(new ProvidedToken(
      "hunter2",
      Instant.EPOCH
    ).toString == "ProvidedToken(***, expires at 1970-01-01T00:00:00Z)")
  }
}

class WithParameters(parameters: JavaMap[String, String]) extends TokenProvider {
  override def getToken(scope: String): ProvidedToken =
    new ProvidedToken(s"${parameters.get("token")} ${parameters.get("place")} $scope", Instant.MAX)
}

class Plain extends TokenProvider {
  override def getToken(scope: String): ProvidedToken = new ProvidedToken("plain", Instant.MAX)
}

class Failing(parameters: JavaMap[String, String]) extends TokenProvider {
  if (!parameters.isEmpty) throw new IllegalStateException(s"cannot use ${parameters.get("secret")}")
  override def getToken(scope: String): ProvidedToken = new ProvidedToken("none", Instant.MAX)
}
