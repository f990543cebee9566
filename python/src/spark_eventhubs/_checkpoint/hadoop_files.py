"""The files of a folder on a file system of Hadoop (abfss, s3a, hdfs, ...), through the JVM of a Spark session."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STREAMING: Final = "org.apache.spark.sql.execution.streaming"
# Spark 4.1 moved the class.
_MANAGERS: Final = (f"{_STREAMING}.checkpointing.CheckpointFileManager", f"{_STREAMING}.CheckpointFileManager")


class HadoopFiles:
    """Files that are read and written as Spark does it for its checkpoints, with the session's configuration."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        """`root` is a URL such as `abfss://container@account.dfs.core.windows.net/checkpoints/alerts`."""
        from py4j.java_gateway import is_instance_of  # noqa: PLC0415 - PySpark is optional

        self._spark = spark
        self._jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - PySpark has no public API for file systems
        self._root = root.rstrip("/")
        conf = spark._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001 - as above
        path = self._path("")
        # Without checksums on a local disk, as the connector's own files of a checkpoint.
        found = path.getFileSystem(conf)
        gateway = spark.sparkContext._gateway  # noqa: SLF001 - as above
        checked = is_instance_of(gateway, found, "org.apache.hadoop.fs.ChecksumFileSystem")
        self._system = found.getRawFileSystem() if checked else found
        self._manager = _manager(self._jvm, path, conf)

    @property
    def root(self) -> str:
        """The URL."""
        return self._root

    @property
    def name(self) -> str:
        """See `Files`."""
        return self._root.rpartition("/")[2]

    def names(self, folder: str) -> list[str]:
        """See `Files`."""
        path = self._path(folder)
        if not self._system.exists(path):
            return []
        return sorted(status.getPath().getName() for status in self._system.listStatus(path))

    def read(self, path: str) -> bytes | None:
        """See `Files`."""
        file = self._path(path)
        if not self._system.exists(file) or self._system.getFileStatus(file).isDirectory():
            return None
        stream = self._system.open(file)
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    def replace(self, path: str, content: bytes) -> None:
        """See `Files`. The file manager chooses a rename or one upload, as the file system needs it."""
        file = self._path(path)
        self._system.mkdirs(file.getParent())
        stream = self._manager.createAtomic(file, True)
        try:
            stream.write(bytearray(content))
            stream.close()
        except BaseException:
            stream.cancel()
            raise

    def delete(self, path: str) -> None:
        """See `Files`."""
        self._system.delete(self._path(path), False)

    def modified(self, path: str) -> datetime:
        """See `Files`."""
        milliseconds = self._system.getFileStatus(self._path(path)).getModificationTime()
        return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)

    def sibling(self, name: str) -> HadoopFiles:
        """See `Files`."""
        root = name if ":/" in name else f"{self._root.rpartition('/')[0]}/{name}"
        return HadoopFiles(self._spark, root)

    def _path(self, path: str) -> Any:  # noqa: ANN401 -- a Java object
        return self._jvm.org.apache.hadoop.fs.Path(f"{self._root}/{path}".rstrip("/"))


def _manager(jvm: Any, path: Any, conf: Any) -> Any:  # noqa: ANN401 -- Java objects
    from py4j.protocol import Py4JError  # noqa: PLC0415 - PySpark is optional

    for name in _MANAGERS:
        try:
            companion = jvm.java.lang.Class.forName(f"{name}$", True, _loader(jvm)).getField("MODULE$").get(None)
        except Py4JError:
            continue
        return companion.create(path, conf)
    raise RuntimeError("this version of Spark has no CheckpointFileManager; use a local copy of the checkpoint")


def _loader(jvm: Any) -> Any:  # noqa: ANN401 -- a Java object
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()
