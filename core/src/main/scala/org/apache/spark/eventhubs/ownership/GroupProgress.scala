package org.apache.spark.eventhubs.ownership

import java.time.Instant

/**
 * How far the consumers of a group have processed a partition, by their last checkpoint.
 *
 * @param nextSeqNo the first event after it
 * @param offset    of the last event, None where the writer did not record it
 * @param written   by the clock of the store
 */
private[spark] final case class GroupProgress(nextSeqNo: Long, offset: Option[String], written: Instant)
