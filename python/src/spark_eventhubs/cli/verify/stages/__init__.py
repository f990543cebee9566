"""The stages that run on a Spark session."""
