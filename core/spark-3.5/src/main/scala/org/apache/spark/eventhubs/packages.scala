package org.apache.spark

package object eventhubs extends org.apache.spark.eventhubs.Scala213

package eventhubs {
  package object client extends Scala213
  package object options extends Scala213
  package object rdd extends Scala213
}

package sql {
  package object eventhubs extends org.apache.spark.eventhubs.Scala213

  package eventhubs {
    package object exactlyonce extends org.apache.spark.eventhubs.Scala213
  }
}
