package localhub.http

import testkit.TestSuite

class MetricSuite extends TestSuite {

  test("a metric is in the format of Prometheus, with escaped labels") {
    val metric = Metric.gauge("a_b", "What it is.", Seq(Seq("x" -> "q\"\\\n", "y" -> "2") -> 3L, Nil -> -1L))
    assert(metric.text == "# HELP a_b What it is.\n# TYPE a_b gauge\na_b{x=\"q\\\"\\\\\\n\",y=\"2\"} 3\na_b -1\n")
  }
}
