"""Progress bars for the Spark jobs of batch reads and writes."""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._monitoring.bars import new_bars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from spark_eventhubs._monitoring.bars import Bars

_SECONDS: Final = 0.2
_LOG: Final = logging.getLogger(__name__)


@contextmanager
def progress(spark: SparkSession, *, file: TextIO | None = None) -> Iterator[None]:
    """Shows a bar for each stage of the Spark jobs that the block runs, in a terminal or a notebook.

    A job that reads an event hub has a task for each partition, or more with `minPartitions` and `maxEventsPerTask`.
    A block inside another one adds to its bars. In classic PySpark the bars are those of jobs that this thread starts,
    over Spark Connect those of all the session's jobs. Output that is not a terminal gets the bars once, at the end.

    Args:
        spark: the session that runs the jobs.
        file: where the bars go; standard output by default.

    Raises:
        RuntimeError: the session is one of Spark Connect with PySpark 3.5, which reports no progress.
    """
    is_classic = getattr(spark, "_jsparkSession", None) is not None
    if not is_classic and not hasattr(spark, "registerProgressHandler"):
        raise RuntimeError(
            "Spark Connect reports the progress of batches since PySpark 4.0; upgrade, or use Spark's UI"
        )
    with new_bars(file) as bars, _of_tagged_jobs(spark.sparkContext, bars) if is_classic else _of_session(spark, bars):
        yield


@contextmanager
def _of_tagged_jobs(context: SparkContext, bars: Bars) -> Iterator[None]:
    tag = f"spark-eventhubs-progress-{uuid.uuid4()}"
    ended = threading.Event()

    def follow() -> None:
        # Spark may be gone, or the block may have stopped the session.
        with suppress(Exception):
            while not ended.wait(_SECONDS):
                _show_jobs(context, tag, bars)

    follower = threading.Thread(target=follow, name="spark-eventhubs-progress", daemon=True)
    context.addJobTag(tag)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()
        # As above: the block's own failure must stay visible.
        with suppress(Exception):
            context.removeJobTag(tag)
            _show_jobs(context, tag, bars)


def _show_jobs(context: SparkContext, tag: str, bars: Bars) -> None:
    tracker = context.statusTracker()
    # PySpark's tracker has no method for tags; the JVM's public one has.
    for job in sorted(context._jsc.sc().statusTracker().getJobIdsForTag(tag)):  # noqa: SLF001
        info = tracker.getJobInfo(job)
        for stage in sorted(info.stageIds) if info else []:
            found = tracker.getStageInfo(stage)
            # A stage whose result another job left behind never starts.
            if found and (found.numActiveTasks or found.numCompletedTasks):
                bars.show(stage, found.numCompletedTasks, found.numTasks)


@contextmanager
def _of_session(spark: Any, bars: Bars) -> Iterator[None]:  # noqa: ANN401 - the type of sessions has no handlers in 3.5
    has_failed = False

    def handle(stages: Iterable[Any] | None, **_others: object) -> None:
        nonlocal has_failed
        if has_failed:
            return
        # PySpark would raise the failure of a handler in the caller's action.
        try:
            for stage in stages or ():
                # A stage of an empty frame has no tasks.
                if stage.num_tasks > 0:
                    bars.show(stage.stage_id, stage.num_completed_tasks, stage.num_tasks)
        except Exception:  # noqa: BLE001 - what a notebook's kernel raises is its own
            has_failed = True
            _LOG.warning("progress shows no further bars", exc_info=True)

    spark.registerProgressHandler(handle)
    try:
        yield
    finally:
        spark.removeProgressHandler(handle)
