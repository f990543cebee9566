package org.apache.spark.eventhubs.credentials

import java.lang.reflect.{Constructor, InvocationTargetException}
import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, Json, Secret}

/** A user's class for `eventhubs.auth.credentialProvider`. */
private[eventhubs] object ProviderClass {

  val ClassKey = "eventhubs.auth.credentialProvider"

  /** Spark's redaction hides values of keys with "token" in them. */
  val ParametersKey = "eventhubs.auth.tokenParameters"

  /** @throws EventHubsException EVENTHUBS_INVALID_OPTION if this machine does not have a usable class of this name */
  def check(className: String, parameters: Map[String, Secret]): Unit = {
    constructor(className, parameters)
    ()
  }

  def create(className: String, parameters: Map[String, Secret]): TokenProvider = {
    val made = constructor(className, parameters)
    val arguments =
      if (made.getParameterCount == 0) Nil else Seq(parameters.map { case (key, secret) => key -> secret.value }.asJava)
    try made.newInstance(arguments: _*)
    catch {
      // The thread is stopped, which says nothing about the class.
      case stopped: InvocationTargetException if stopped.getCause.isInstanceOf[InterruptedException] =>
        throw stopped.getCause
      // The user's text may quote a parameter, so only the class is shown.
      case failed: InvocationTargetException =>
        throw invalid(className, s"a class whose constructor succeeds; it threw ${failed.getCause.getClass.getName}")
      case _: ReflectiveOperationException => throw invalid(className, "a class that is public and not abstract")
    }
  }

  /**
   * @param json an object whose values are texts, each the value or, as of a secret option, where it is kept
   * @return the parameters, or what was expected
   */
  def parameters(json: String): Either[String, Map[String, Secret]] = {
    val expected = "a JSON object whose values are texts, such as {\"tenant\": \"contoso\"}; a value may be " +
      "{env:NAME}, {file:/path} or {hadoop:alias}"
    Json.read(json).left.map(_ => expected).filterOrElse(_.isObject, expected).flatMap { node =>
      val fields = node.properties.asScala.toSeq.map(field => field.getKey -> field.getValue)
      if (!fields.forall(_._2.isTextual)) Left(expected)
      else
        fields.foldLeft[Either[String, Map[String, Secret]]](Right(Map.empty)) { case (read, (name, value)) =>
          for (known <- read; secret <- SecretText.parse(ParametersKey, value.asText)) yield known.updated(name, secret)
        }
    }
  }

  /** Finds the class that the calling thread sees; None if there is none. */
  def find(className: String): Option[Class[_]] = {
    // Spark's loader for the job's jars; the connector's own may not see them.
    val loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
    try Some(Class.forName(className, true, loader))
    catch { case _: ClassNotFoundException | _: LinkageError => None }
  }

  private def constructor(className: String, parameters: Map[String, Secret]): Constructor[_ <: TokenProvider] = {
    val found = find(className).getOrElse {
      throw invalid(className, s"a class in a jar of the job; ${Machine.name} does not find it")
    }
    if (!classOf[TokenProvider].isAssignableFrom(found))
      throw invalid(className, s"a class that implements ${classOf[TokenProvider].getName}")
    val provider = found.asSubclass(classOf[TokenProvider])
    def taking(types: Class[_]*): Option[Constructor[_ <: TokenProvider]] =
      Try[Constructor[_ <: TokenProvider]](provider.getConstructor(types: _*)).toOption
    val fitting = taking(classOf[JavaMap[_, _]]).orElse(if (parameters.isEmpty) taking() else None)
    fitting.getOrElse(throw invalid(
      className,
      if (parameters.isEmpty) "a class with a public constructor without parameters or with a java.util.Map"
      else s"a class with a public constructor that takes a java.util.Map, because '$ParametersKey' is set"
    ))
  }

  private def invalid(className: String, expected: String): EventHubsException =
    EventHubsErrors.invalidOption(ClassKey, className, expected)
}
