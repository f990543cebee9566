package org.apache.spark.eventhubs

import scala.collection.{mutable, IterableView}
import scala.util.Try

/**
 * Members of Scala 2.13's library that the shared sources use, for Scala 2.12: the same names and the same results.
 * (`scala.jdk` and `scala.util.Using` are in the scala-collection-compat that Spark 3.5 includes.)
 *
 * The package objects of this folder put it in scope, because 2.13 would report an import as unused. It is private,
 * because programs import `org.apache.spark.eventhubs._` and may define such helpers themselves.
 */
private[spark] trait Scala213 {

  private[spark] implicit final class OptionCompanion213(companion: Option.type) {
    def when[A](condition: Boolean)(value: => A): Option[A] = if (condition) Some(value) else None
  }

  private[spark] implicit final class QueueCompanion213(companion: mutable.Queue.type) {
    def from[A](elements: Iterable[A]): mutable.Queue[A] = mutable.Queue(elements.toSeq: _*)
  }

  private[spark] implicit final class Text213(text: String) {
    def toIntOption: Option[Int] = Try(text.toInt).toOption
    def toLongOption: Option[Long] = Try(text.toLong).toOption
    def toBooleanOption: Option[Boolean] = Try(text.toBoolean).toOption
  }

  private[spark] implicit final class Elements213[A](elements: TraversableOnce[A]) {
    def minOption[B >: A](implicit order: Ordering[B]): Option[A] =
      if (elements.isEmpty) None else Some(elements.min(order))
    def maxOption[B >: A](implicit order: Ordering[B]): Option[A] =
      if (elements.isEmpty) None else Some(elements.max(order))
    def minByOption[B: Ordering](by: A => B): Option[A] = if (elements.isEmpty) None else Some(elements.minBy(by))
    def maxByOption[B: Ordering](by: A => B): Option[A] = if (elements.isEmpty) None else Some(elements.maxBy(by))
  }

  private[spark] implicit final class PairsView213[K, V](pairs: IterableView[(K, V), _]) {
    def mapValues[W](change: V => W): Iterator[(K, W)] = pairs.iterator.map { case (key, value) =>
      key -> change(value)
    }
  }

  private[spark] implicit final class MutableMap213[K, V](val map: mutable.Map[K, V]) {
    def filterInPlace(keep: (K, V) => Boolean): map.type = map.retain(keep)
    def mapValuesInPlace(change: (K, V) => V): map.type = map.transform(change)
    def subtractOne(key: K): map.type = map -= key
  }

  private[spark] implicit final class MutableSet213[A](set: mutable.Set[A]) {
    def filterInPlace(keep: A => Boolean): Unit = set.retain(keep)
  }
}
