package org.apache.spark.sql.eventhubs.rotation

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{Duration, Instant}
import java.util.Base64
import java.util.concurrent.{Executors, TimeUnit}
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import localhub.auth.{Role, SharedAccessPolicy}
import localhub.authority.{Application, ClientCertificate, LocalAuthority}

/** A way to sign in whose secret is in a file. The file and the service begin with the first secret. */
private[rotation] abstract class SecretInAFile(val name: String) extends AutoCloseable {

  /** Without `eventhubs.auth.`. */
  def auth: Map[String, String]

  /** From now on, the service accepts the second secret, and the file has it. */
  def rotate(): Unit

  /** From now on, the service accepts none. */
  def revoke(): Unit

  /** Whether no token of before `rotate` is of use any more. */
  def isRenewed: Boolean

  /** What a refusal names. */
  def identity: String

  override def close(): Unit = ()
}

/** @param tokens how many tokens the application got */
private[rotation] abstract class ApplicationSecret(
    name: String,
    authority: LocalAuthority,
    tokens: String => Int
) extends SecretInAFile(name) {

  protected val application: Application = Application(s"pipeline with a $name").withRole(Role.DataOwner)
  private var before = 0

  protected def ids: Map[String, String] = Map(
    "tenantId" -> authority.tenantId,
    "clientId" -> application.clientId,
    "authorityHost" -> authority.url
  )

  protected def second(): Application

  override def rotate(): Unit = {
    authority.register(second())
    before = tokens(application.clientId)
  }

  override def revoke(): Unit = { authority.register(application); () }

  // The first of them may have been asked for with the old secret.
  override def isRenewed: Boolean = tokens(application.clientId) >= before + 3

  override def identity: String = application.clientId
}

private[rotation] object SecretInAFile {

  type Write = (String, String) => String

  def clientSecret(authority: LocalAuthority, tokens: String => Int, write: Write): SecretInAFile =
    new ApplicationSecret("client secret", authority, tokens) {
      private val file = write("secret", "marked-1")
      authority.register(application.withSecret("marked-1"))
      override def auth: Map[String, String] = ids ++ Map("type" -> "clientSecret", "clientSecret" -> s"{file:$file}")
      override def second(): Application = {
        write("secret", "marked-2")
        application.withSecret("marked-2")
      }
    }

  def certificate(authority: LocalAuthority, tokens: String => Int, write: Write): SecretInAFile =
    new ApplicationSecret("certificate", authority, tokens) {
      private val file = register(ClientCertificate.generate("first"))._2
      override def auth: Map[String, String] = ids ++ Map("type" -> "clientCertificate", "certificatePath" -> file)
      override def second(): Application = register(ClientCertificate.generate("second"))._1
      private def register(certificate: ClientCertificate) =
        (authority.register(application.withCertificate(certificate.certificate)), write("pem", certificate.pem))
    }

  def federatedToken(authority: LocalAuthority, tokens: String => Int, write: Write): SecretInAFile =
    new ApplicationSecret("federated token", authority, tokens) {
      private val file = register("first")._2
      override def auth: Map[String, String] = ids ++ Map("type" -> "workloadIdentity", "federatedTokenFile" -> file)
      override def second(): Application = register("second")._1
      private def register(subject: String) = (
        authority.register(application.withFederatedSubject(subject)),
        write("federated", authority.federatedToken(subject))
      )
    }

  /** A signature that another program replaces before it ends, as is usual. The policy's key changes too. */
  def signature(policies: ChangingPolicies, lifetime: Duration, write: Write): SecretInAFile =
    new SecretInAFile("signature") {
      @volatile private var key = "b2xk"
      private var rotated = Instant.MAX
      private val file = write("signature", signed(key, Instant.now.plus(lifetime)))
      private val renewal: Runnable = () => { write("signature", signed(key, Instant.now.plus(lifetime))); () }
      private val program = Executors.newSingleThreadScheduledExecutor()
      program.scheduleWithFixedDelay(renewal, 1, 1, TimeUnit.SECONDS)
      override def auth: Map[String, String] = Map("type" -> "sas", "sasToken" -> s"{file:$file}")
      // As a policy's second key, the old one counts until no signature of it is in use.
      override def rotate(): Unit = {
        policies.set(SharedAccessPolicy.Root, ChangingPolicies.pipeline(key), ChangingPolicies.pipeline("bmV3"))
        key = "bmV3"
        program.submit(renewal).get()
        rotated = Instant.now
      }
      override def revoke(): Unit = policies.set(SharedAccessPolicy.Root)
      override def isRenewed: Boolean = Instant.now.isAfter(rotated.plus(lifetime).plusSeconds(5))
      override def identity: String = "pipeline"
      override def close(): Unit = { program.shutdownNow(); () }
    }

  /** A signature of the policy `pipeline` for the namespace. */
  def signed(key: String, ends: Instant): String = {
    def encoded(text: String) = URLEncoder.encode(text, UTF_8)
    val resource = encoded("sb://localhost/")
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"))
    val signature = Base64.getEncoder.encodeToString(mac.doFinal(s"$resource\n${ends.getEpochSecond}".getBytes(UTF_8)))
    s"SharedAccessSignature sr=$resource&sig=${encoded(signature)}&se=${ends.getEpochSecond}&skn=pipeline"
  }
}
