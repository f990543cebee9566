package benchmarks.harness

/** Median and spread of the passes of one case. */
object Statistics {

  /** @return the middle value, or the mean of the middle two; NaN of none */
  def median(values: Seq[Double]): Double = {
    val sorted = values.sorted
    val middle = sorted.length / 2
    if (sorted.isEmpty) Double.NaN
    else if (sorted.length % 2 == 1) sorted(middle)
    else (sorted(middle - 1) + sorted(middle)) / 2
  }

  /** @return largest less smallest value, as a part of the median */
  def spread(values: Seq[Double]): Double =
    if (values.isEmpty) Double.NaN else (values.max - values.min) / median(values)

  /**
   * The passes during which other programs hardly used the machine, or all passes if there are too few of them. Only
   * load decides, never the result.
   *
   * @param load cores that other programs used during the pass
   */
  def quiet[A](passes: Seq[A])(load: A => Double): Seq[A] = {
    val quiet = passes.filter(load(_) <= QuietCores)
    if (quiet.size >= math.min(FewestPasses, passes.size)) quiet else passes
  }

  /**
   * Ratio of the rates of two contenders that took turns. It compares neighbouring passes, because the machine's speed
   * changes over time and is about the same only for neighbours.
   *
   * @param pairs neighbouring passes: rates of (other, one)
   * @return the median of one / other
   */
  def ratio(pairs: Seq[(Double, Double)]): Double = median(pairs.map { case (other, one) => one / other })

  private val QuietCores = 0.3
  private val FewestPasses = 3
}
