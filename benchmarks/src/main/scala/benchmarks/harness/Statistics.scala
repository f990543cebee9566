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
   * Passes during which nobody else used the machine, or all of them when there are too few of those. By load only, never
   * by result.
   *
   * @param load cores that others used during the pass
   */
  def quiet[A](passes: Seq[A])(load: A => Double): Seq[A] = {
    val quiet = passes.filter(load(_) <= QuietCores)
    if (quiet.size >= math.min(FewestPasses, passes.size)) quiet else passes
  }

  /**
   * What one is of another that took turns with it, pass by pass: each beside its neighbour, because the machine is faster at
   * one time than at another, and that cancels out between neighbours only.
   *
   * @param pairs (other, one) of neighbours
   * @return the median of their ratios
   */
  def ratio(pairs: Seq[(Double, Double)]): Double = median(pairs.map { case (other, one) => one / other })

  private val QuietCores = 0.3
  private val FewestPasses = 3
}
