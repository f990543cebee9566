package javaapi;

import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.eventhubs.EventHubsConf;
import org.apache.spark.eventhubs.EventHubsEvent;
import org.apache.spark.eventhubs.EventHubsUtils;
import org.apache.spark.eventhubs.EventPosition;
import org.apache.spark.eventhubs.NameAndPartition;
import org.apache.spark.eventhubs.rdd.OffsetRange;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The Java of docs/migration.md. The build compiles it, and MigrationDocSuite compares the two. */
public final class MigratedJob {

  private MigratedJob() {}

  public static void run(SparkSession spark, JavaSparkContext javaSparkContext, String connectionString) {
    EventHubsConf conf = new EventHubsConf(connectionString)
        .setConsumerGroup("dashboards")
        .setStartingPosition(EventPosition.fromSequenceNumber(7))
        .setStartingPositions(Map.of(new NameAndPartition("telemetry", 0), EventPosition.fromOffset("4711")))
        .set("eventhubs.partitions", "0-3");
    Dataset<Row> events = spark.readStream().format("eventhubs").options(conf.toMap()).load();

    OffsetRange[] ranges = {OffsetRange.apply("telemetry", 0, 100, 200)};
    JavaRDD<EventHubsEvent> rdd = EventHubsUtils.createRDD(javaSparkContext, conf, ranges);
  }
}
