package org.apache.spark.sql.eventhubs

import java.io.{ByteArrayInputStream, IOException, InputStream}
import java.util.Arrays
import java.util.zip.{GZIPInputStream, Inflater, InflaterInputStream}

import com.github.luben.zstd.ZstdInputStream

/**
 * Decompresses bodies. Spark has the library for zstd on its class path.
 *
 * @param maxBytes    a body that becomes larger counts as broken; no more than this is ever decompressed
 * @param failOnError whether a broken body is an error; otherwise the result is null
 */
private[eventhubs] final class BodyDecompressor(maxBytes: Int, failOnError: Boolean)
    extends ((Array[Byte], String) => Array[Byte])
    with Serializable {

  import BodyDecompressor._

  override def apply(body: Array[Byte], codec: String): Array[Byte] =
    if (body eq null) body
    else if (body.isEmpty) body
    else
      decompressed(body, codec) match {
        case Right(whole) => whole
        case Left(problem) if failOnError => throw new IllegalArgumentException(problem)
        case Left(_) => Option.empty[Array[Byte]].orNull
      }

  private def decompressed(body: Array[Byte], codec: String): Either[String, Array[Byte]] =
    try {
      val found = codec match {
        case "zstd" => read(new ZstdInputStream(new ByteArrayInputStream(body)))
        case "deflate" => inflated(body)
        case _ => read(new GZIPInputStream(new ByteArrayInputStream(body)))
      }
      if (found.length <= maxBytes) Right(found)
      else Left(s"The $codec body of an event is larger than $maxBytes bytes when decompressed")
    } catch {
      case broken: IOException => Left(s"The body of an event is no whole $codec stream: ${broken.getMessage}")
      // The JDK reads each empty gzip member in a call of its own.
      case _: StackOverflowError => Left(s"The $codec body of an event has thousands of empty members in a row")
    }

  /** Some senders leave the header out. */
  private def inflated(body: Array[Byte]): Array[Byte] =
    try read(new InflaterInputStream(new ByteArrayInputStream(body)))
    catch {
      case _: java.util.zip.ZipException => withInflater(new Inflater(true)) { inflater =>
          read(new InflaterInputStream(new ByteArrayInputStream(body), inflater))
        }
    }

  private def withInflater[A](inflater: Inflater)(use: Inflater => A): A =
    try use(inflater)
    finally inflater.end()

  /** One byte more than allowed, if there are so many. */
  private def read(stream: InputStream): Array[Byte] =
    try {
      var found = new Array[Byte](math.min(FirstBytes.toLong, maxBytes + 1L).toInt)
      var length = 0
      var count = stream.read(found, 0, found.length)
      while (count > 0) {
        length += count
        if (length == found.length && length <= maxBytes)
          found = Arrays.copyOf(found, math.min(2L * length, maxBytes + 1L).toInt)
        count = if (length < found.length) stream.read(found, length, found.length - length) else 0
      }
      Arrays.copyOf(found, length)
    } finally stream.close()
}

private[eventhubs] object BodyDecompressor {

  val Codecs: Seq[String] = Seq("gzip", "x-gzip", "deflate", "zstd")

  /** Arrays of the JVM have less than twice as much. */
  val LargestBytes: Int = 1 << 30

  private val FirstBytes = 4096
}
