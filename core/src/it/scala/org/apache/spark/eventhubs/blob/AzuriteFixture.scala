package org.apache.spark.eventhubs.blob

import java.io.{BufferedReader, File, InputStreamReader}
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardOpenOption
import java.time.Duration
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import scala.sys.process.{Process => Command}

import org.scalatest.{BeforeAndAfterAll, Suite}

import org.apache.spark.eventhubs.Secret

/** Azurite, the emulator of Azure Storage, for a suite. tests/processor/azurite/package.json has its version. */
trait AzuriteFixture extends BeforeAndAfterAll { this: Suite =>

  private var running = Option.empty[(Process, String)]
  private val containerNumber = new AtomicInteger

  /** `http://127.0.0.1:<port>/devstoreaccount1` */
  protected def blobEndpoint: String = running.getOrElse(throw new AssertionError("Azurite is not running"))._2

  protected def storageConnectionString: String =
    s"AccountName=${AzuriteFixture.Account};AccountKey=${AzuriteFixture.Key};BlobEndpoint=$blobEndpoint"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    running = Some(AzuriteFixture.start())
  }

  override protected def afterAll(): Unit =
    try running.foreach { case (process, _) => process.destroy(); process.waitFor(10, TimeUnit.SECONDS) }
    finally super.afterAll()

  protected def openStore(container: String): BlobStore = {
    val key = StorageCredential.AccountKey(AzuriteFixture.Account, Secret(AzuriteFixture.Key))
    new AzureBlobStore(BlobContainer(s"$blobEndpoint/$container", key), Duration.ofSeconds(20))
  }

  /** The name of a new container. */
  protected def newContainer(): String = {
    val name = s"checkpoints-${containerNumber.incrementAndGet()}"
    AzuriteFixture.createContainer(s"$blobEndpoint/$name")
    name
  }
}

object AzuriteFixture {
  val Account = "devstoreaccount1"
  val Key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

  private lazy val folder: File = Iterator.iterate(new File("").getAbsoluteFile)(_.getParentFile)
    .takeWhile(Option(_).nonEmpty)
    .map(new File(_, "tests/processor/azurite"))
    .find(_.isDirectory)
    .getOrElse(throw new AssertionError("this test needs the folder tests/processor/azurite of a clone"))

  private def start(): (Process, String) = {
    val program = new File(folder, "node_modules/azurite/dist/src/blob/main.js")
    install()
    val arguments = Seq("--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence", "--skipApiVersionCheck")
    val command = Seq("node", program.getPath) ++ arguments ++ Seq("--silent", "--disableTelemetry")
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
    val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
    val said = Iterator.continually(lines.readLine()).takeWhile(Option(_).nonEmpty)
    val address = said.collectFirst { case Listening(url) => s"$url/$Account" }
    address.fold {
      process.destroy()
      throw new AssertionError(s"Azurite did not start: ${command.mkString(" ")}")
    }(process -> _)
  }

  /** Once, for all processes of the tests: npm removes what it finds. It writes this file last. */
  private def install(): Unit = synchronized {
    val locks = new File(folder.getParentFile.getParentFile.getParentFile, "target/azurite.lock")
    locks.getParentFile.mkdirs()
    val lock = FileChannel.open(locks.toPath, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
    try {
      lock.lock()
      if (!new File(folder, "node_modules/.package-lock.json").exists()) {
        Command(Seq("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"), folder).!!
        ()
      }
    } finally lock.close()
  }

  private val Listening = ".*successfully listens on (http://127\\.0\\.0\\.1:\\d+).*".r

  /** The connector creates no container, so the test signs this one request. */
  private def createContainer(url: String): Unit = {
    import com.azure.core.http.{HttpHeaderName, HttpMethod, HttpPipelineBuilder, HttpRequest}
    import com.azure.core.util.{BinaryData, Context}
    val key = StorageCredential.AccountKey(Account, Secret(Key))
    val request = new HttpRequest(HttpMethod.PUT, s"$url?restype=container")
      .setHeader(HttpHeaderName.fromString("x-ms-version"), "2021-12-02")
      .setBody(BinaryData.fromBytes(Array.emptyByteArray))
    val answer = new HttpPipelineBuilder().policies(new SharedKeyPolicy(key)).build().sendSync(request, Context.NONE)
    try assert(answer.getStatusCode == 201, s"creating $url: ${answer.getStatusCode}")
    finally answer.close()
  }
}
