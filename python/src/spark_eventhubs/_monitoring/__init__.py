"""Watching queries: a live view, plots, and progress bars. Nothing here changes a query."""

from spark_eventhubs._monitoring.batch_progress import progress
from spark_eventhubs._monitoring.metrics import source_metrics
from spark_eventhubs._monitoring.plots import plot_lag, plot_throughput
from spark_eventhubs._monitoring.watching import Watch, start_watch, watch

__all__ = ["Watch", "plot_lag", "plot_throughput", "progress", "source_metrics", "start_watch", "watch"]
