import sbt.Keys._
import sbt._
import sbtassembly.AssemblyKeys._
import sbtassembly.{MergeStrategy, PathList}
import sbtassembly.AssemblyPlugin.autoImport.ShadeRule

import scala.xml.transform.{RewriteRule, RuleTransformer}
import scala.xml.{Elem, Node, NodeSeq}

/**
 * The connector's jar as users get it: one file that contains its dependencies under relocated names. So they cannot
 * clash with Spark's Jackson or a platform's Azure SDK, and the POM has no dependencies.
 */
object Jar {

  private val relocated = Seq(
    "com.azure",
    "com.microsoft",
    "org.apache.qpid",
    "reactor",
    "org.reactivestreams",
    "com.fasterxml",
    "com.nimbusds",
    "net.minidev",
    "com.sun.jna",
    "org.objectweb"
  )

  private val shadeRules =
    relocated.map(name => ShadeRule.rename(s"$name.**" -> s"org.apache.spark.eventhubs.shaded.$name.@1").inAll)

  val connector: Seq[Setting[_]] = Seq(
    assembly / assemblyJarName := s"spark-eventhubs_${scalaBinaryVersion.value}.jar",
    assembly / assemblyShadeRules := shadeRules,
    // Spark provides Scala's library.
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    assembly / assemblyMergeStrategy := {
      case PathList("META-INF", "services", _*) => MergeStrategy.filterDistinctLines
      // Keeps the licences and notices of all bundled libraries; those of the same name are concatenated.
      case PathList("META-INF", name) if isLicence(name) => MergeStrategy.concat
      case name if isLicence(name) => MergeStrategy.concat
      case path if path.endsWith("module-info.class") => MergeStrategy.discard
      case PathList("META-INF", "maven" | "native-image" | "proguard" | "versions", _*) => MergeStrategy.discard
      case PathList("META-INF", "MANIFEST.MF" | "INDEX.LIST") => MergeStrategy.discard
      case PathList("META-INF", name) if name.endsWith(".SF") || name.endsWith(".DSA") || name.endsWith(".RSA") =>
        MergeStrategy.discard
      case _ => MergeStrategy.deduplicate
    },
    Compile / packageBin := assembly.value,
    pomPostProcess := withoutDependencies
  )

  private def isLicence(name: String): Boolean = {
    val plain = name.toLowerCase
    plain.startsWith("license") || plain.startsWith("notice") || plain.startsWith("dependencies") ||
    plain.startsWith("al2.0") || plain.startsWith("lgpl")
  }

  private def withoutDependencies(pom: Node): Node =
    new RuleTransformer(new RewriteRule {
      override def transform(node: Node): NodeSeq = node match {
        case element: Elem if element.label == "dependencies" => NodeSeq.Empty
        case other => other
      }
    }).transform(pom).head
}
