package javaapi;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.eventhubs.ConnectionStringBuilder;
import org.apache.spark.eventhubs.EventHubsConf;
import org.apache.spark.eventhubs.EventHubsEvent;
import org.apache.spark.eventhubs.EventHubsUtils;
import org.apache.spark.eventhubs.EventPosition;
import org.apache.spark.eventhubs.NameAndPartition;
import org.apache.spark.eventhubs.rdd.OffsetRange;

/** A job in Java, in a package of its own: what it calls must be public, and must have a form that Java can call. */
public final class JavaJob {

  private JavaJob() {}

  public static String connectionString(String key) {
    return new ConnectionStringBuilder()
        .setNamespaceName("contoso")
        .setEventHubName("telemetry")
        .setSasKeyName("reader")
        .setSasKey(key)
        .build();
  }

  public static EventHubsConf conf(String connectionString) {
    return new EventHubsConf(connectionString)
        .setConsumerGroup("dashboards")
        .setStartingPosition(EventPosition.fromSequenceNumber(7))
        .setEndingPosition(EventPosition.fromEnqueuedTime(Instant.parse("2024-01-31T12:00:00Z")))
        .setStartingPositions(
            Map.of(
                new NameAndPartition("telemetry", 0), EventPosition.fromOffset("4711"),
                new NameAndPartition("telemetry", 1), EventPosition.fromStartOfStream()))
        .setEndingPositions(Map.of(new NameAndPartition("telemetry", 1), EventPosition.fromEndOfStream()))
        .setMaxEventsPerTrigger(1000)
        .setReceiverTimeout(Duration.ofSeconds(30))
        .set(EventHubsConf.PrefetchCountKey(), 100);
  }

  public static JavaRDD<EventHubsEvent> events(JavaSparkContext spark, String connectionString, OffsetRange... ranges) {
    return EventHubsUtils.createRDD(spark, new EventHubsConf(connectionString), ranges);
  }

  public static OffsetRange range(String hub, int partition, long from, long until) {
    return OffsetRange.apply(hub, partition, from, until);
  }
}
