package localhub.cli

import java.nio.file.Path

import localhub.SettingParser
import localhub.authority.{ApplicationJson, LocalAuthorityConfig}

/** The two options of the authority. Its applications have secrets, so they are in a file. */
private[localhub] object AuthorityArguments {

  private val Fields = Seq("tenantId", "tokenLifetime", "applications")

  def read(port: Option[Int], config: Option[Path]): Option[LocalAuthorityConfig] = (port, config) match {
    case (None, None) => None
    case (None, Some(_)) => throw new UsageException("--authority-config needs --authority-port.")
    case (Some(number), None) => Some(LocalAuthorityConfig(number))
    case (Some(number), Some(file)) => Some(parse(file, content(file)).withPort(number))
  }

  private def content(file: Path): ujson.Value =
    try ujson.read(GivenFile.text("--authority-config", file))
    catch {
      case invalid: ujson.ParsingFailedException =>
        throw new UsageException(s"--authority-config $file is not JSON: ${invalid.getMessage}.")
    }

  private def parse(file: Path, json: ujson.Value): LocalAuthorityConfig =
    try {
      val fields = json.obj
      fields.keys.find(!Fields.contains(_)).foreach { unknown =>
        throw new IllegalArgumentException(s"'$unknown' is not a field; expected one of ${Fields.mkString(", ")}.")
      }
      val defaults = LocalAuthorityConfig()
      defaults.copy(
        tenantId = fields.get("tenantId").fold(defaults.tenantId)(_.str),
        tokenLifetime = fields.get("tokenLifetime").fold(defaults.tokenLifetime)(value =>
          SettingParser.duration("tokenLifetime", value.str)
        ),
        applications =
          fields.get("applications").fold(defaults.applications)(_.arr.map(ApplicationJson.parse(_, None, None)).toSeq)
      )
    } catch {
      case mistake @ (_: IllegalArgumentException | _: ujson.Value.InvalidData) =>
        throw new UsageException(s"--authority-config $file: ${mistake.getMessage.stripPrefix("requirement failed: ")}")
    }
}
