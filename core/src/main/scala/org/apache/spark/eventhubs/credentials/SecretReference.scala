package org.apache.spark.eventhubs.credentials

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.security.alias.CredentialProviderFactory

import org.apache.spark.SparkEnv
import org.apache.spark.deploy.SparkHadoopUtil

/** Where a secret is kept. */
private[credentials] sealed trait SecretReference extends Serializable {

  /** Returns what a user writes. */
  def text: String

  /** The secret, or what was expected of this machine. */
  def read(): Either[String, String]
}

private[credentials] object SecretReference {

  /** A JVM's environment does not change, so such a secret changes with a restart only. */
  final case class EnvironmentVariable(variable: String) extends SecretReference {
    override def text: String = s"{env:$variable}"
    override def read(): Either[String, String] = Option(System.getenv(variable)).filter(_.nonEmpty)
      .toRight(s"an environment variable that is set on ${Machine.name}; set it for the driver and for every executor")
  }

  /** The content of a file, without the white space at its end. */
  final case class FileContent(path: String) extends SecretReference {
    override def text: String = s"{file:$path}"
    override def read(): Either[String, String] = Machine.read(path).flatMap { bytes =>
      // Some editors begin a file with a byte order mark.
      val content = new String(bytes, UTF_8).stripPrefix("\uFEFF").stripTrailing
      Either.cond(content.nonEmpty, content, s"a file that is not empty on ${Machine.name}")
    }
  }

  /** An alias in the credential providers of Spark's Hadoop configuration. */
  final case class HadoopAlias(alias: String) extends SecretReference {
    override def text: String = s"{hadoop:$alias}"
    override def read(): Either[String, String] = {
      val hadoop = Option(SparkEnv.get)
        .fold(new Configuration)(env => SparkHadoopUtil.get.newConfiguration(env.conf))
      val path = CredentialProviderFactory.CREDENTIAL_PROVIDER_PATH
      Option(hadoop.get(path)).toRight(s"'spark.hadoop.$path' to name a credential provider").flatMap { providers =>
        Try(CredentialProviderFactory.getProviders(hadoop).asScala.toSeq.flatMap { provider =>
          Option(provider.getCredentialEntry(alias)).map(entry => new String(entry.getCredential))
        }).toEither.left.map(failed => s"a provider that ${Machine.name} can read; $providers: ${failed.getMessage}")
          .flatMap(_.headOption.toRight(s"an alias that is in $providers, as ${Machine.name} sees it"))
      }
    }
  }
}
