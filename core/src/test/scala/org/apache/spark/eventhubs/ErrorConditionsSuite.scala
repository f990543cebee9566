package org.apache.spark.eventhubs

import java.util.concurrent.CompletableFuture

import scala.reflect.runtime.universe

import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.util.Utils
import org.apache.spark.{SparkConf, SparkRuntimeException}
import testkit.TestSuite

class ErrorConditionsSuite extends TestSuite {

  private val hub = EventHubName("contoso.servicebus.windows.net", "telemetry")

  test("every condition has the prefix, a message and an SQL state") {
    assert(ErrorConditions.entries.nonEmpty)
    ErrorConditions.entries.foreach { case (condition, entry) =>
      assert(condition.matches("EVENTHUBS(_[A-Z]+)+(\\.[A-Z_]+)?"), condition)
      assert(entry.template.trim.nonEmpty, condition)
      assert(entry.sqlState.matches("[0-9A-Z]{5}"), condition)
    }
  }

  private def conditions(of: universe.Symbol): Set[String] =
    if (!of.isModuleClass) of.asClass.knownDirectSubclasses.flatMap(conditions)
    else {
      val condition = universe.runtimeMirror(getClass.getClassLoader).reflectModule(of.asClass.module.asModule).instance
      Set(condition.asInstanceOf[ErrorCondition].name)
    }

  test("the sealed type and the catalogue of texts have the same conditions") {
    assert(conditions(universe.typeOf[ErrorCondition].typeSymbol) == ErrorConditions.entries.keySet)
  }

  test("a parameter that looks like a placeholder or a group reference is not replaced") {
    val message = ErrorConditions.message(
      ErrorCondition.InvalidOption,
      Map("key" -> "k", "value" -> "<expected> $1 \\", "expected" -> "a number")
    )
    assert(message == "[EVENTHUBS_INVALID_OPTION] 'k' is '<expected> $1 \\'; expected a number.")
  }

  test("an exception has a condition, an SQL state and parameters for programs") {
    val error = EventHubsErrors.invalidOption("eventhubs.prefetchCount", "many", "a whole number")
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getSqlState == "42616")
    assert(error.getMessageParameters.get("value") == "many")
  }

  test("a connection string that was given as another option is shown without its key") {
    val text = "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=reader;SharedAccessKey=c2VjcmV0+/8="
    val misplaced = Seq(
      EventHubsErrors.invalidOption("eventhubs.namespace", text, "a host"),
      EventHubsErrors.invalidOption("eventhubs.name", text.toLowerCase.replace("=c2", " = c2"), "a name"),
      EventHubsErrors.invalidOption("eventhubs.startingPosition", s"'$text'", "a position"),
      EventHubsErrors.invalidOption("eventhubs.transport", text.replace("=c2", "=\"c2"), "a transport")
    )
    misplaced.foreach { error =>
      val shown = Utils.exceptionString(error) + error.getMessageParameters
      assert(!shown.toLowerCase.contains("c2vjcmv0") && shown.toLowerCase.contains("=reader;sharedaccesskey"))
    }
  }

  test("it is an exception of Spark, so that PySpark makes a Python exception of it") {
    val error: SparkRuntimeException = EventHubsErrors.missingOption("eventhubs.name", "Set it.")
    assert(error.getMessage == "[EVENTHUBS_MISSING_OPTION] 'eventhubs.name' is not set. Set it.")
    assert(error.toString == s"org.apache.spark.eventhubs.EventHubsException: ${error.getMessage}")
    assert(!error.isInternalError && error.getQueryContext.isEmpty)
  }

  test("a task's exception keeps message, condition and parameters on its way to the driver") {
    val sent = EventHubsErrors.notFound(hub, "reading partition 3", "no such entity", new IllegalStateException("sdk"))
    val serializer = new JavaSerializer(new SparkConf).newInstance()
    val received = serializer.deserialize[EventHubsException](serializer.serialize(sent))
    assert(received.getMessage == sent.getMessage && received.getCondition == "EVENTHUBS_NOT_FOUND")
    assert(received.condition eq sent.condition)
    assert(received.getMessageParameters == sent.getMessageParameters && received.getSqlState == "42704")
  }

  test("a refusal is one line in a log; an unexpected failure keeps its cause and its place") {
    val cause = new IllegalStateException("of the SDK")
    // In a thread without calls of the test framework, as a stream has one.
    val refusal = CompletableFuture.supplyAsync(() => EventHubsErrors.authentication(hub, "asking", "no", cause)).get()
    assert(Utils.exceptionString(refusal).trim == refusal.toString)
    val unexpected = EventHubsErrors.service(hub, "asking", "internal error", cause)
    assert(Utils.exceptionString(unexpected).contains("ErrorConditionsSuite") && unexpected.getCause == cause)
  }

  test("a refusal shows the user's own calls, and no others") {
    val calls = Array("com.contoso.Job", "org.apache.spark.sql.Dataset", "scala.Option", "py4j.Gateway")
      .map(new StackTraceElement(_, "run", "F", 1))
    val refusal = EventHubsErrors.notFound(hub, "asking", "no such entity", new IllegalStateException("sdk"))
    // As Spark does where a failure passes its threads.
    refusal.setStackTrace(calls)
    assert(refusal.getStackTrace.toSeq.map(_.getClassName) == Seq("com.contoso.Job"))
    val unexpected = EventHubsErrors.service(hub, "asking", "internal error", new IllegalStateException("sdk"))
    unexpected.setStackTrace(calls)
    assert(unexpected.getStackTrace.length == 4)
  }
}
