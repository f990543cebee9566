package org.apache.spark.eventhubs.signin

/**
 * Created by the first thread that needs it. Only threads that need it too wait meanwhile, and a failure is theirs.
 * When the thread that creates it is interrupted, as of a query that is stopped, the next one creates it.
 */
private[eventhubs] final class CreatedOnce[A](create: => A) {

  @volatile private var created = Option.empty[Either[Throwable, A]]

  /** Whether nobody gets it any more. */
  def hasFailed: Boolean = created.exists(_.isLeft)

  /** What was created, if it was. */
  def made: Option[A] = created.flatMap(_.toOption)

  def get(): A = created.getOrElse(make()).fold(throw _, identity)

  private def make(): Either[Throwable, A] = synchronized {
    created.getOrElse {
      val outcome =
        try Right(create)
        catch { case failed: Throwable => Left(failed) }
      if (!outcome.left.exists(CreatedOnce.isInterruption)) created = Some(outcome)
      outcome
    }
  }
}

private object CreatedOnce {
  private val LongestChain = 20

  /** A failure of the calling thread alone. */
  private def isInterruption(failed: Throwable): Boolean = Thread.currentThread.isInterrupted ||
    Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain)
      .exists(_.isInstanceOf[InterruptedException])
}
