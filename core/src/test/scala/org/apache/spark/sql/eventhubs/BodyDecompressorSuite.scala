package org.apache.spark.sql.eventhubs

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.zip.{Deflater, DeflaterOutputStream, GZIPOutputStream}

import com.github.luben.zstd.ZstdOutputStream

import testkit.TestSuite

class BodyDecompressorSuite extends TestSuite {

  private val text = ("hello " * 2000).getBytes

  private def compressed(body: Array[Byte], open: OutputStream => OutputStream): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val stream = open(bytes)
    stream.write(body)
    stream.close()
    bytes.toByteArray
  }

  private val codecs = Map(
    "gzip" -> ((body: Array[Byte]) => compressed(body, new GZIPOutputStream(_))),
    "deflate" -> ((body: Array[Byte]) => compressed(body, new DeflaterOutputStream(_))),
    "zstd" -> ((body: Array[Byte]) => compressed(body, new ZstdOutputStream(_)))
  )

  private def whole(body: Array[Byte], codec: String, maxBytes: Int = text.length): Option[Seq[Byte]] =
    Option(new BodyDecompressor(maxBytes, failOnError = false)(body, codec)).map(_.toSeq)

  private def failure(body: Array[Byte], codec: String, maxBytes: Int): String =
    intercept[IllegalArgumentException](new BodyDecompressor(maxBytes, failOnError = true)(body, codec)).getMessage

  codecs.foreach { case (codec, compress) =>
    test(s"$codec: bodies of all sizes come back, up to the limit") {
      Seq(1, 4095, 4096, 4097, 8192, text.length).foreach { size =>
        val body = text.take(size)
        assert(whole(compress(body), codec).contains(body.toSeq), size)
        assert(whole(compress(body), codec, maxBytes = size).contains(body.toSeq), size)
      }
      assert(whole(Array.emptyByteArray, codec).contains(Nil))
      assert(whole(Option.empty[Array[Byte]].orNull, codec).isEmpty)
    }

    test(s"$codec: a body that is cut off, is something else, or becomes too large is null, or an error that says so") {
      val body = compress(text)
      val broken = Seq(body.dropRight(1), body.take(body.length / 2), "no stream at all".getBytes)
      broken.foreach { of =>
        assert(whole(of, codec).isEmpty)
        assert(failure(of, codec, text.length).contains(s"no whole $codec stream"))
      }
      val bomb = compress(new Array[Byte](50000000))
      assert(whole(bomb, codec).isEmpty)
      assert(failure(bomb, codec, 1000) == s"The $codec body of an event is larger than 1000 bytes when decompressed")
    }
  }

  test("deflate without its header, gzip of several members, zstd of several frames") {
    val headless = compressed(text, new DeflaterOutputStream(_, new Deflater(Deflater.DEFAULT_COMPRESSION, true)))
    assert(whole(headless, "deflate").contains(text.toSeq))
    Seq("gzip", "zstd").foreach { codec =>
      val halves = text.grouped(text.length / 2).map(codecs(codec)).reduce(_ ++ _)
      assert(whole(halves, codec).contains(text.toSeq))
    }
  }

  test("gzip of very many empty members is a broken body, not an overflow of the stack") {
    val none = codecs("gzip")(Array.emptyByteArray)
    val body = Array.fill(100000)(none).flatten ++ codecs("gzip")(text)
    assert(whole(body, "gzip").isEmpty)
    assert(failure(body, "gzip", text.length).contains("thousands of empty members"))
  }
}
