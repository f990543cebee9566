package benchmarks.worker

import benchmarks.harness.Request

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._

private object WriteColumns {
  def columns(format: Format, request: Request): Seq[Column] =
    format.toWrite(lit(Array.fill(request.workload.bodyBytes)('x'.toByte)), col("id"), request)
}
