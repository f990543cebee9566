"""What the functions over bodies need besides Spark."""
