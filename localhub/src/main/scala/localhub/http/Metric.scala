package localhub.http

/** One metric with its samples: labels and value. */
private[localhub] final case class Metric(
    name: String,
    kind: String,
    help: String,
    samples: Seq[(Seq[(String, String)], Long)]
) {

  def text: String = samples.map { case (labels, value) =>
    val inBraces = labels.map { case (key, label) => s"""$key="${Metric.escape(label)}"""" }
    s"$name${if (labels.isEmpty) "" else inBraces.mkString("{", ",", "}")} $value\n"
  }.mkString(s"# HELP $name $help\n# TYPE $name $kind\n", "", "")
}

private[localhub] object Metric {
  def counter(name: String, help: String, samples: Seq[(Seq[(String, String)], Long)]): Metric =
    Metric(name, "counter", help, samples)

  def gauge(name: String, help: String, samples: Seq[(Seq[(String, String)], Long)]): Metric =
    Metric(name, "gauge", help, samples)

  private def escape(label: String): String = label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")
}
