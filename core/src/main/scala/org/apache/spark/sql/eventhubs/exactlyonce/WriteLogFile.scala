package org.apache.spark.sql.eventhubs.exactlyonce

/**
 * What a file of [[WriteLog]] holds: the version, the positions as JSON, and a last line by which it is known to be whole.
 * Version 1 had none; its files came into being by renaming, so they are whole.
 */
private[exactlyonce] object WriteLogFile {

  private val First = "v2\n"
  private val Last = "\nend\n"
  private val Renamed = "v1\n"

  def text(positions: HubPositions): String = s"$First${positions.json}$Last"

  /** None when a part is missing at the end; `malformed` is thrown for what no part of such a file can be. */
  def parse(text: String, malformed: String => Throwable): Option[HubPositions] = {
    def positions(json: String) =
      Some(HubPositions.parse(json).getOrElse(throw malformed("its second line is not the JSON of positions")))
    if (text.startsWith(Renamed)) positions(text.stripPrefix(Renamed))
    else if (text.startsWith(First) && text.endsWith(Last)) positions(text.stripPrefix(First).stripSuffix(Last))
    else if (First.startsWith(text) || text.startsWith(First)) None
    else throw malformed(s"its first line is not ${First.trim}")
  }
}
