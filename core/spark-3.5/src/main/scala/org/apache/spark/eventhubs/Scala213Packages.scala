package org.apache.spark

package object eventhubs
    extends org.apache.spark.eventhubs.Scala213
    with org.apache.spark.eventhubs.options.LegacyNames

package eventhubs {
  package object amqp extends Scala213
  package object blob extends Scala213
  package object checkpoints extends Scala213
  package object connection extends Scala213
  package object executor extends Scala213
  package object generation extends Scala213
  package object options extends Scala213
  package object ownership extends Scala213
  package object rdd extends Scala213
  package object receive extends Scala213
  package object registry extends Scala213
  package object send extends Scala213

  package options {
    package object names extends Scala213
  }
}

package sql {
  package object eventhubs extends org.apache.spark.eventhubs.Scala213

  package eventhubs {
    package object bodies extends org.apache.spark.eventhubs.Scala213
    package object exactlyonce extends org.apache.spark.eventhubs.Scala213
    package object hubs extends org.apache.spark.eventhubs.Scala213
    package object metrics extends org.apache.spark.eventhubs.Scala213
    package object placement extends org.apache.spark.eventhubs.Scala213
    package object planning extends org.apache.spark.eventhubs.Scala213
    package object sink extends org.apache.spark.eventhubs.Scala213
    package object source extends org.apache.spark.eventhubs.Scala213
  }
}
