package benchmarks.micro

import java.io.ByteArrayOutputStream
import java.util.concurrent.TimeUnit

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter}
import org.apache.avro.io.EncoderFactory
import org.openjdk.jmh.annotations._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.eventhubs.AvroBodies
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decodes Avro bodies of about 1 KB to columns: with the schema that each event names, and with one fixed schema as
 * Spark's `from_avro` does. A call decodes 100 events, whose ids take turns.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@Fork(2)
class DecodeAvroBody {

  @Param(Array("1", "4"))
  var ids: Int = _

  private var rows: Array[InternalRow] = _
  private var named: UnsafeProjection = _
  private var fixed: UnsafeProjection = _

  @Setup
  def prepare(): Unit = {
    val schema = DecodeAvroBody.schema
    // The same schema under several ids, so that both decode the same bytes.
    val types = (1 to ids).map(number => UTF8String.fromString(AvroBodies.known(number, schema.toString)))
    rows = Array.tabulate(DecodeAvroBody.Events) { number =>
      new GenericInternalRow(Array[Any](DecodeAvroBody.body(number), types(number % ids), null))
    }
    named = UnsafeProjection.create(Seq(AvroBodies.decode(schema.toString)))
    fixed = UnsafeProjection.create(Seq(AvroBodies.decodeFixed(schema.toString)))
  }

  /** Counts bytes, so that no result is unused. */
  private def decoded(projection: UnsafeProjection): Int = {
    var bytes = 0
    var index = 0
    while (index < rows.length) {
      val row: UnsafeRow = projection(rows(index))
      bytes += row.getSizeInBytes
      index += 1
    }
    bytes
  }

  @Benchmark
  @OperationsPerInvocation(DecodeAvroBody.Events)
  def namedSchemas(): Int = decoded(named)

  @Benchmark
  @OperationsPerInvocation(DecodeAvroBody.Events)
  def fixedSchema(): Int = decoded(fixed)
}

object DecodeAvroBody {
  final val Events = 100

  private val texts = 8

  /** Ten numbers and eight texts of about 120 bytes. */
  private val schema: Schema = {
    val numbers = (1 to 10).map(index => s"""{"name":"n$index","type":"${if (index % 2 == 0) "long" else "double"}"}""")
    val strings = (1 to texts).map(index => s"""{"name":"t$index","type":"string"}""")
    new Schema.Parser().parse(
      (numbers ++ strings).mkString("""{"type":"record","name":"Reading","namespace":"bench","fields":[""", ",", "]}")
    )
  }

  private def body(number: Int): Array[Byte] = {
    val record = new GenericData.Record(schema)
    (1 to 10).foreach { index =>
      record.put(s"n$index", if (index % 2 == 0) Long.box(number * 1000003L * index) else Double.box(number / 7.0))
    }
    (1 to texts).foreach(index => record.put(s"t$index", s"$number-$index-" + "x" * 115))
    val out = new ByteArrayOutputStream
    val encoder = EncoderFactory.get.binaryEncoder(out, null)
    new GenericDatumWriter[Any](schema).write(record, encoder)
    encoder.flush()
    out.toByteArray
  }
}
