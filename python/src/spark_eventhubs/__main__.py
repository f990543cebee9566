"""`python -m spark_eventhubs` is the console script."""

from spark_eventhubs.cli import main

if __name__ == "__main__":
    main(prog_name="spark-eventhubs")
