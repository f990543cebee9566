package org.apache.spark.eventhubs.tls

import java.io.{File, IOException}
import java.net.InetAddress
import java.nio.file.Files
import java.security.cert.{Certificate, CertificateException, CertificateFactory, X509Certificate}
import java.security.{KeyStore, SecureRandom}
import java.util.concurrent.ConcurrentHashMap
import javax.net.ssl.{SSLContext, TrustManagerFactory, X509TrustManager}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.options.ConnectionOptions
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.{SparkEnv, SparkFiles}

/** The TLS context of a connection, which trusts the JVM's certificate authorities and those of the user's file. */
private[eventhubs] object TrustedCertificates extends Logging {

  /** A file as it was read. A changed file is read again, so that a new certificate needs no restart. */
  private final case class Version(file: File, modifiedMillis: Long, bytes: Long)

  /** The last version of each path that could be read. */
  private val contexts = new ConcurrentHashMap[String, (Version, SSLContext)]

  /**
   * None without a file: the JVM's own context is used. While a file that was read before cannot be read, as while it
   * is being replaced, its last content is used.
   *
   * @param file path of a PEM file
   * @throws org.apache.spark.eventhubs.EventHubsException for a file that this host never had, or without
   *                                                        certificates
   */
  def context(file: Option[String]): Option[SSLContext] = file.map { path =>
    val before = Option(contexts.get(path))
    try {
      val found = find(path)
      val version = Version(found, found.lastModified, found.length)
      val current = before.filter(_._1 == version).getOrElse(version -> trusting(found, path))
      contexts.put(path, current)
      current._2
    } catch {
      case problem: EventHubsException if before.isDefined =>
        logWarning(s"Trusts the same certificates as before, because of: ${problem.getMessage}")
        before.get._2
    }
  }

  def contextOrDefault(file: Option[String]): SSLContext = context(file).getOrElse(SSLContext.getDefault)

  /** A relative path may name a file of `spark.files`, which Spark copies to each executor. */
  private def find(path: String): File = {
    val sent = Option(SparkEnv.get).filterNot(_ => new File(path).isAbsolute).map(_ => new File(SparkFiles.get(path)))
    (new File(path) +: sent.toSeq).find(_.isFile).getOrElse {
      throw invalid(path, s"a PEM file that exists on host ${InetAddress.getLocalHost.getHostName}")
    }
  }

  private def invalid(path: String, expected: String) =
    EventHubsErrors.invalidOption(ConnectionOptions.TrustedCertificates.key, path, expected)

  private def trusting(file: File, path: String): SSLContext = {
    val trusted =
      try certificates(file) ++ ofTheJvm
      catch { case problem: InvalidFileException => throw invalid(path, s"a PEM file of certificates ($problem)") }
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(None.orNull, Array.emptyCharArray)
    trusted.zipWithIndex.foreach { case (certificate, i) => store.setCertificateEntry(s"trusted-$i", certificate) }
    val context = SSLContext.getInstance("TLS")
    context.init(Array.empty, managers(store).getTrustManagers, new SecureRandom)
    context
  }

  private def certificates(file: File): Seq[Certificate] = {
    val stream =
      try Files.newInputStream(file.toPath)
      catch { case unreadable: IOException => throw new InvalidFileException(s"it cannot be read: $unreadable") }
    val found =
      try CertificateFactory.getInstance("X.509").generateCertificates(stream).asScala.toSeq
      catch { case malformed: CertificateException => throw new InvalidFileException(malformed.getMessage) }
      finally stream.close()
    if (found.isEmpty) throw new InvalidFileException("it has none")
    found
  }

  private def ofTheJvm: Seq[X509Certificate] = managers(None.orNull).getTrustManagers.toSeq.flatMap {
    case trusting: X509TrustManager => trusting.getAcceptedIssuers.toSeq
    case _ => Nil
  }

  /** @param store null for the JVM's own */
  private def managers(store: KeyStore): TrustManagerFactory = {
    val factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    factory.init(store)
    factory
  }

  private final class InvalidFileException(problem: String) extends RuntimeException(problem) {
    override def toString: String = problem
  }
}
