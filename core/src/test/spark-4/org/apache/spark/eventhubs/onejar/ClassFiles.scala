package org.apache.spark.eventhubs.onejar

import java.io.{File, InputStream}
import java.net.URLClassLoader
import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.xbean.asm9.ClassReader
import org.apache.xbean.asm9.tree.ClassNode

/**
 * Reads class files by internal name (`java/lang/String`) without loading the classes. The connector's come from a
 * folder, Spark's from the jars of one version, and all others from the class path of the tests.
 */
private[onejar] final class ClassFiles(connector: Path, sparkJars: Seq[Path]) extends AutoCloseable {

  private val spark = new URLClassLoader(sparkJars.map(_.toUri.toURL).toArray, null)
  private val known = mutable.Map.empty[String, Option[ClassNode]]

  /** The classes of the connector. */
  val own: Seq[ClassNode] = {
    val files = Files.walk(connector)
    try
      files.iterator.asScala.filter(_.toString.endsWith(".class")).map(file => parsed(Files.newInputStream(file))).toSeq
    finally files.close()
  }
  own.foreach(node => known(node.name) = Some(node))

  def get(name: String): Option[ClassNode] = known.getOrElseUpdate(
    name, {
      val from = if (name.startsWith("org/apache/spark/")) spark else getClass.getClassLoader
      Option(from.getResourceAsStream(s"$name.class")).map(parsed)
    }
  )

  /** The class and all its superclasses and interfaces, except missing ones. */
  def lineage(name: String): Seq[ClassNode] = get(name).toSeq.flatMap { node =>
    node +: (Option(node.superName).toSeq ++ node.interfaces.asScala).flatMap(lineage)
  }

  private def parsed(bytes: InputStream): ClassNode =
    try {
      val node = new ClassNode
      new ClassReader(bytes).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES)
      node
    } finally bytes.close()

  override def close(): Unit = spark.close()
}

private[onejar] object ClassFiles {

  /**
   * @param spark     name of the system property with the paths of Spark's jars
   * @param connector name of the system property with the folder of the connector's classes
   */
  def ofTests(spark: String, connector: String = "connector.classes"): ClassFiles = new ClassFiles(
    Path.of(sys.props(connector)),
    sys.props(spark).split(File.pathSeparator).toSeq.map(Path.of(_))
  )
}
