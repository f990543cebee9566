import com.github.sbt.sbom.BomSbtPlugin.autoImport._
import com.github.sbt.sbom.BomSbtSettings
import com.typesafe.tools.mima.core.{Problem, ProblemFilters}
import com.typesafe.tools.mima.plugin.MimaKeys._
import sbt.Keys._
import sbt._
import sbtassembly.AssemblyPlugin.autoImport._

/** What Maven Central and users expect of a release: origin, licence, contents, documentation, compatibility. */
object Release {

  /** The newest version on Maven Central. After the first release: `Some("0.1.0")`. */
  private val released: Option[String] = None

  /**
   * Set by `make release-dry-run` and the release workflow. Other builds need neither scaladoc nor a staging folder.
   */
  private val isRelease = sys.env.contains("RELEASE")

  private val page = url("https://github.com/spark-eventhubs/spark-eventhubs")

  val build: Seq[Setting[_]] = Seq(
    organization := "io.github.spark-eventhubs",
    organizationName := "The spark-eventhubs authors",
    homepage := Some(page),
    licenses := Seq(License.Apache2),
    developers := List(Developer("spark-eventhubs", "The spark-eventhubs authors", "", page)),
    scmInfo := Some(ScmInfo(page, s"scm:git:$page.git", s"scm:git:$page.git")),
    versionScheme := Some("early-semver"),
    publishMavenStyle := true,
    // `sonaUpload` sends the staging folder to Maven Central. Without RELEASE, `publish` fills a plain repository
    // folder.
    publishTo := {
      if (isRelease) localStaging.value
      else Some(MavenCache("folder", (LocalRootProject / target).value / "maven"))
    },
    mimaPreviousArtifacts := Set.empty
  )

  val artifact: Seq[Setting[_]] = Seq(
    // The folder is filled again after each change, under the same version.
    publishConfiguration := publishConfiguration.value.withOverwrite(true),
    Compile / packageDoc / publishArtifact := isRelease,
    // Otherwise it takes the value of Compile.
    Test / packageDoc / publishArtifact := false,
    Compile / doc / scalacOptions := Seq(
      "-encoding",
      "utf8",
      "-no-link-warnings",
      "-doc-title",
      name.value,
      "-doc-version",
      version.value,
      // Classes that need the SDK's package. Users do not call them.
      "-skip-packages",
      "com.azure"
    ),
    Compile / packageBin / mappings ++= licenceFiles.value,
    Compile / packageSrc / mappings ++= licenceFiles.value,
    Compile / packageDoc / mappings ++= licenceFiles.value,
    makeBom := Def.taskDyn(BomSbtSettings.makeBomTask(bundled.value, Runtime)).value,
    assembly / fullClasspath := Attributed.blank(bundledNotices.value) +: (Runtime / fullClasspath).value,
    mimaPreviousArtifacts := released.map(organization.value %% name.value % _).toSet,
    mimaCurrentClassfiles := (Compile / packageBin).value,
    // Bundled libraries are no API.
    mimaBinaryIssueFilters += ProblemFilters.exclude[Problem]("org.apache.spark.eventhubs.shaded.*")
  )

  private def licenceFiles = Def.task {
    Seq("LICENSE", "NOTICE").map(name => (LocalRootProject / baseDirectory).value / name -> s"META-INF/$name")
  }

  /** The resolved modules whose jars the assembly contains. */
  private def bundled = Def.task {
    val withScala = (assembly / assemblyOption).value.includeScala
    val jars = (Runtime / externalDependencyClasspath).value.map(_.data).toSet
    def isBundled(module: ModuleReport) =
      module.artifacts.exists { case (_, file) => jars(file) } &&
        (withScala || module.module.organization != "org.scala-lang")
    val report = update.value
    report.withConfigurations(
      report.configurations
        .filter(_.configuration.name == Runtime.name)
        .map(configuration =>
          configuration.withModules(configuration.modules.filter(isBundled)).withDetails(Vector.empty)
        )
    )
  }

  /** The folder with the licences, notices and bill of materials of an assembled jar. */
  private def bundledNotices = Def.task {
    val folder = target.value / "notices"
    IO.delete(folder)
    val groups = bundled.value.allModules.map(_.organization).toSet
    val texts = ((LocalRootProject / baseDirectory).value / "project" / "licences" * "*.txt").get()
    // The MIT licence requires its text with the author's name, and these jars do not contain it.
    val ofGroups = texts.filter(text => groups(text.base)).map(text => text -> s"META-INF/licences/${text.name}")
    IO.copy((licenceFiles.value ++ ofGroups).map { case (file, path) => file -> folder / path })
    IO.copyFile(makeBom.value, folder / "META-INF" / "sbom" / s"${name.value}.cdx.json")
    folder
  }
}
