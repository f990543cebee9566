package localhub.namespace

import java.io.IOException
import java.nio.channels.{FileChannel, FileLock, OverlappingFileLockException}
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.StandardOpenOption.{CREATE, WRITE}
import java.nio.file.{Files, Path}
import java.time.Clock
import java.util.Comparator

import scala.jdk.CollectionConverters._
import scala.util.Using

import localhub.log.{AtomicFile, CompactableLog, PartitionLog, RemovedEventsFile, SegmentLog, UnreadableLogException}
import localhub.{InvalidHubException, LocalHubException}

/**
 * Hubs in a folder: `hubs/<name>/hub.json` and `hubs/<name>/partition-<id>/`. Only one process can open it at a time.
 *
 * @param fsync whether an append waits for the disk
 * @throws LocalHubException when another process has it open, or when it cannot be used
 */
private[localhub] final class DataDirectory(directory: Path, clock: Clock, fsync: Boolean) extends HubStorage {

  import DataDirectory.Replaced

  private val hubs = directory.resolve("hubs")
  private val (channel, lock) = DataDirectory.lock(directory)

  try {
    Files.createDirectories(hubs)
    folders(_.startsWith(Replaced)).foreach(restore)
    // Left by a killed process that was creating or deleting a hub.
    folders(_.startsWith(".")).foreach(deleteAll)
  } catch {
    case failure: Throwable =>
      close()
      throw DataDirectory.explained(directory, failure)
  }

  override def stored: Seq[StoredHub] = folders(!_.startsWith(".")).map { folder =>
    val hub = HubFile.read(folder.resolve(HubFile.Name))
    // A hub has all its folders before it has its description.
    (0 until hub.config.partitions).map(partitionIn(folder, _)).find(!Files.isDirectory(_)).foreach { missing =>
      throw new LocalHubException(
        s"$missing is missing, with the events of a partition of '${hub.config.name}'. Restore it from a copy, or create " +
          "the empty folder to give up these events: their sequence numbers are then used again."
      )
    }
    hub
  }

  override def save(hub: StoredHub): Unit = {
    if (hub.config.geoReplication)
      throw new InvalidHubException(
        s"The event hub '${hub.config.name}' cannot be geo-replicated here: start the local hub without a data directory."
      )
    val folder = folderOf(hub)
    if (Files.exists(folder)) describe(hub, folder) else Files.move(staged(hub), folder, ATOMIC_MOVE)
    ()
  }

  override def openLog(hub: StoredHub, partition: Int): PartitionLog = {
    val folder = partitionIn(folderOf(hub), partition)
    try open(folder)
    catch { case failure: IOException => throw new UnreadableLogException(folder, failure) }
  }

  private def open(folder: Path): PartitionLog = {
    val log = new SegmentLog(folder, clock, fsync)
    try new CompactableLog(log, Some(new RemovedEventsFile(folder.resolve(RemovedEventsFile.Name))))
    catch {
      case failure: Throwable =>
        log.close()
        throw failure
    }
  }

  override def replace(old: StoredHub, by: StoredHub, closeOld: Runnable): Runnable = {
    val folder = folderOf(old)
    val replaced = hubs.resolve(s"$Replaced${folder.getFileName}")
    // Left by a deletion that failed.
    if (Files.exists(replaced)) deleteAll(replaced)
    val fresh = stagedWithLogs(by)
    closeOld.run()
    Files.move(folder, replaced, ATOMIC_MOVE)
    try Files.move(fresh, folder, ATOMIC_MOVE)
    catch {
      case failure: IOException =>
        Files.move(replaced, folder, ATOMIC_MOVE)
        throw failure
    }
    () => deleteAll(replaced)
  }

  override def remove(hub: StoredHub): Unit = {
    // Renamed first, so that a kill during the deletion leaves no half hub.
    val deleted = hubs.resolve(s".deleted-${java.util.UUID.randomUUID}")
    Files.move(folderOf(hub), deleted, ATOMIC_MOVE)
    deleteAll(deleted)
  }

  /** Writes as much as a large event needs: free space alone does not say that this process may write. */
  override def problem: Option[String] = synchronized {
    val probe = directory.resolve(".probe")
    try {
      Files.write(probe, new Array[Byte](DataDirectory.ProbeBytes))
      None
    } catch {
      case failure: IOException =>
        Some(s"Nothing can be stored in $directory: ${UnreadableLogException.reason(failure)}.")
    } finally deleteQuietly(probe)
  }

  private def deleteQuietly(file: Path): Unit =
    try { Files.deleteIfExists(file); () }
    catch { case _: IOException => () }

  override def close(): Unit = if (channel.isOpen) {
    lock.release()
    channel.close()
  }

  /** A folder with the hub's description, not yet under its final name, so that it appears complete. */
  private def staged(hub: StoredHub): Path = {
    val folder = stagedFolder(hub)
    describe(hub, folder)
    folder
  }

  private def stagedFolder(hub: StoredHub): Path = hubs.resolve(s".new-${folderOf(hub).getFileName}")

  private def describe(hub: StoredHub, folder: Path): Unit = {
    (0 until hub.config.partitions).foreach(id => Files.createDirectories(partitionIn(folder, id)))
    HubFile.write(folder.resolve(HubFile.Name), hub)
  }

  private def stagedWithLogs(hub: StoredHub): Path =
    try {
      val folder = staged(hub)
      (0 until hub.config.partitions).foreach(id => new SegmentLog(partitionIn(folder, id), clock, fsync).close())
      folder
    } catch {
      case failure: Throwable =>
        deleteAll(stagedFolder(hub))
        throw failure
    }

  /** Restores a hub if the process was killed between the two moves of [[replace]]. */
  private def restore(replaced: Path): Unit = {
    val folder = hubs.resolve(replaced.getFileName.toString.stripPrefix(Replaced))
    if (!Files.exists(folder)) { Files.move(replaced, folder, ATOMIC_MOVE); () }
  }

  private def folderOf(hub: StoredHub): Path = hubs.resolve(DataDirectory.folderName(hub.config.name))

  private def partitionIn(folder: Path, id: Int): Path = folder.resolve(s"partition-$id")

  private def folders(select: String => Boolean): Seq[Path] =
    Using.resource(Files.list(hubs))(_.iterator.asScala.filter(path => select(path.getFileName.toString)).toSeq.sorted)

  private def deleteAll(folder: Path): Unit =
    Using.resource(Files.walk(folder))(_.sorted(Comparator.reverseOrder()).forEach(file => Files.delete(file)))
}

private[localhub] object DataDirectory {
  private val LongestFolder = 200

  /** Prefix of the folder of a hub that is being replaced. */
  private val Replaced = ".replaced-"

  /** Upper and lower case are equal in hub names, and hub names may be longer than file names. */
  private[namespace] def folderName(hub: String): String = {
    val name = Namespace.key(hub)
    if (name.length <= LongestFolder) name else f"${name.take(LongestFolder)}-${name.hashCode}%08x"
  }

  /** Writes a file that only its owner may read. */
  def writeSecret(file: Path, content: Array[Byte]): Unit = AtomicFile.write(file, content, isSecret = true)

  /** The probe is about as large as the largest event of most tiers. */
  private val ProbeBytes = 1024 * 1024

  private def lock(directory: Path): (FileChannel, FileLock) =
    try {
      Files.createDirectories(directory)
      val channel = FileChannel.open(directory.resolve("lock"), CREATE, WRITE)
      try (channel, Option(channel.tryLock()).getOrElse(throw inUse(directory)))
      catch {
        case failure: Throwable =>
          channel.close()
          throw if (failure.isInstanceOf[OverlappingFileLockException]) inUse(directory) else failure
      }
    } catch { case failure: Throwable => throw explained(directory, failure) }

  private def explained(directory: Path, failure: Throwable): Throwable = failure match {
    case failed: IOException =>
      val reason = UnreadableLogException.reason(failed)
      new LocalHubException(s"The data directory $directory cannot be used: $reason.", failed)
    case other => other
  }

  private def inUse(directory: Path) =
    new LocalHubException(
      s"The data directory $directory is in use by another local hub. End that one, or use another directory."
    )
}
