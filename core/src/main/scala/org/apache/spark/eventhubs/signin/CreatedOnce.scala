package org.apache.spark.eventhubs.signin

/** Created by the first thread that needs it. Only threads that need it too wait meanwhile, and a failure is theirs. */
private[eventhubs] final class CreatedOnce[A](create: => A) {

  private lazy val created: Either[Throwable, A] =
    try Right(create)
    catch { case failed: Throwable => Left(failed) }

  def get(): A = created.fold(throw _, identity)
}
