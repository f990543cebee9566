"""The jars of the connector and of the local hub. The package `spark_eventhubs` finds them here."""
