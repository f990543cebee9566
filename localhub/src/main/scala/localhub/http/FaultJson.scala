package localhub.http

import localhub.SettingParser
import localhub.amqp.fault.{Fault, FaultAction, FaultScope, InjectedFault, Occasion}

/**
 * Faults as JSON: `{"action": "detach", "condition": "amqp:link:detach-forced", "on": "receive", "hub": "telemetry",
 * "count": 1}`.
 */
private[localhub] object FaultJson {

  private val occasions = Seq(
    "now" -> Occasion.Now,
    "attach" -> Occasion.Attach,
    "send" -> Occasion.Send,
    "stored" -> Occasion.Stored,
    "receive" -> Occasion.Receive,
    "put-token" -> Occasion.PutToken,
    "start" -> Occasion.Start,
    "manage" -> Occasion.Manage,
    "manage-hub" -> Occasion.ManageHub
  )

  private val actions =
    Seq(
      "drop",
      "detach",
      "throttle",
      "delay",
      "stall",
      "hide",
      "refuse-token",
      "expire-tokens",
      "steal",
      "expire-events",
      "recreate",
      "lag",
      "fewer-partitions",
      "older-epoch",
      "lose-answer",
      "older-first"
    )

  /** The actions with a number of events. */
  private val countsEvents = Set("lag", "older-first")

  private val scopeFields = Seq("hub", "consumerGroup", "partition")

  private val fields = Seq("action", "on", "condition", "description", "time", "events", "partitions") ++ scopeFields ++
    Seq("probability", "skip", "count", "duration", "seed")

  def parse(json: ujson.Value): Fault = {
    val stated = json.objOpt.getOrElse(throw BadRequest("A fault is a JSON object with an 'action'."))
    stated.keys.find(!fields.contains(_)).foreach { unknown =>
      throw BadRequest(s"'$unknown' is not a field of a fault; expected one of ${fields.mkString(", ")}.")
    }
    val fault = new FaultFields(stated.toMap)
    val wanted = action(fault)
    val occasion = fault.text("on").fold(usualOccasion(wanted))(byName("on", _, occasions))
    try
      Fault(
        wanted,
        occasion,
        FaultScope(fault.text("hub"), fault.text("consumerGroup"), fault.text("partition")),
        fault.number("probability").getOrElse(1.0),
        fault.count("skip").getOrElse(0),
        fault.count("count"),
        fault.text("duration").map(SettingParser.duration("duration", _))
      )
    catch {
      case invalid: IllegalArgumentException => throw BadRequest(invalid.getMessage.stripPrefix("requirement failed: "))
    }
  }

  def seed(json: ujson.Value): Option[Long] =
    json.objOpt.flatMap(stated => new FaultFields(stated.toMap).number("seed")).map(_.toLong)

  def apply(injected: InjectedFault): ujson.Obj = {
    val fault = injected.fault
    val json = ujson.Obj(
      "id" -> HubJson.number(injected.id),
      "action" -> actionName(fault.action),
      "on" -> occasions.collectFirst { case (name, occasion) if occasion == fault.occasion => name }.mkString,
      "hits" -> injected.hits,
      "probability" -> fault.probability,
      "skip" -> fault.skip
    )
    scopeFields.zip(Seq(fault.scope.hub, fault.scope.consumerGroup, fault.scope.partition)).foreach {
      case (name, part) => part.foreach(value => json(name) = value)
    }
    fault.count.foreach(count => json("count") = count)
    fault.duration.foreach(duration => json("duration") = duration.toString)
    fault.action match {
      case FaultAction.Detach(condition, description) =>
        json("condition") = condition
        json("description") = description
      case FaultAction.Delay(time) => json("time") = time.toString
      case FaultAction.LagBehind(events) => json("events") = events
      case FaultAction.FewerPartitions(partitions) => json("partitions") = partitions
      case FaultAction.OlderFirst(events) => json("events") = events
      case _ => ()
    }
    json
  }

  private def action(fault: FaultFields): FaultAction = {
    val name =
      fault.text("action").getOrElse(throw BadRequest(s"'action' is missing; it is one of ${actions.mkString(", ")}."))
    def only(field: String, action: String): Unit =
      if (name != action && fault.text(field).isDefined)
        throw BadRequest(s"'$field' belongs to the action $action, not to $name.")
    if (!countsEvents(name) && fault.count("events").isDefined)
      throw BadRequest(s"'events' belongs to the actions ${countsEvents.mkString(" and ")}, not to $name.")
    if (name != "fewer-partitions" && fault.count("partitions").isDefined)
      throw BadRequest(s"'partitions' belongs to the action fewer-partitions, not to $name.")
    def partitions = fault.count("partitions")
      .getOrElse(throw BadRequest(s"The action $name needs a number of 'partitions'."))
    def events = fault.count("events").getOrElse(throw BadRequest(s"The action $name needs a number of 'events'."))
    only("condition", "detach")
    only("description", "detach")
    only("time", "delay")
    name match {
      case "drop" => FaultAction.DropConnection
      case "detach" =>
        FaultAction.Detach(
          fault.text("condition").getOrElse("amqp:link:detach-forced"),
          fault.text("description").getOrElse("An injected fault closes this link.")
        )
      case "throttle" => FaultAction.Throttle
      case "delay" =>
        val time = fault.text("time").getOrElse(throw BadRequest("The action delay needs a 'time' such as \"500ms\"."))
        FaultAction.Delay(SettingParser.duration("time", time))
      case "stall" => FaultAction.Stall
      case "hide" => FaultAction.HideEvents
      case "refuse-token" => FaultAction.RefuseToken
      case "expire-tokens" => FaultAction.ExpireTokens
      case "steal" => FaultAction.Steal
      case "expire-events" => FaultAction.ExpireEvents
      case "recreate" => FaultAction.RecreateHub
      case "lag" => FaultAction.LagBehind(events)
      case "fewer-partitions" => FaultAction.FewerPartitions(partitions)
      case "older-epoch" => FaultAction.OlderEpoch
      case "lose-answer" => FaultAction.LoseAnswer
      case "older-first" => FaultAction.OlderFirst(events)
      case other => throw BadRequest(s"action is '$other'; expected one of ${actions.mkString(", ")}.")
    }
  }

  private def usualOccasion(action: FaultAction): Occasion = action match {
    case FaultAction.Throttle => Occasion.Send
    case FaultAction.Delay(_) | FaultAction.Stall | FaultAction.HideEvents => Occasion.Receive
    case FaultAction.RefuseToken => Occasion.PutToken
    case FaultAction.LagBehind(_) | FaultAction.OlderEpoch | FaultAction.LoseAnswer => Occasion.Manage
    case FaultAction.FewerPartitions(_) => Occasion.ManageHub
    case FaultAction.OlderFirst(_) => Occasion.Start
    case FaultAction.DropConnection | FaultAction.Detach(_, _) | FaultAction.ExpireTokens | FaultAction.Steal |
        FaultAction.ExpireEvents | FaultAction.RecreateHub =>
      Occasion.Now
  }

  private def actionName(action: FaultAction): String = action match {
    case FaultAction.DropConnection => "drop"
    case FaultAction.Detach(_, _) => "detach"
    case FaultAction.Throttle => "throttle"
    case FaultAction.Delay(_) => "delay"
    case FaultAction.Stall => "stall"
    case FaultAction.HideEvents => "hide"
    case FaultAction.RefuseToken => "refuse-token"
    case FaultAction.ExpireTokens => "expire-tokens"
    case FaultAction.Steal => "steal"
    case FaultAction.ExpireEvents => "expire-events"
    case FaultAction.RecreateHub => "recreate"
    case FaultAction.LagBehind(_) => "lag"
    case FaultAction.FewerPartitions(_) => "fewer-partitions"
    case FaultAction.OlderEpoch => "older-epoch"
    case FaultAction.LoseAnswer => "lose-answer"
    case FaultAction.OlderFirst(_) => "older-first"
  }

  private def byName[A](field: String, name: String, known: Seq[(String, A)]): A =
    known.collectFirst { case (`name`, value) => value }.getOrElse(
      throw BadRequest(s"$field is '$name'; expected one of ${known.map(_._1).mkString(", ")}.")
    )
}

/** The fields of a fault by type. */
private final class FaultFields(values: Map[String, ujson.Value]) {

  def text(name: String): Option[String] = values.get(name).filterNot(_.isNull).map { value =>
    value.strOpt.getOrElse(throw BadRequest(s"$name is $value; expected a string."))
  }

  def number(name: String): Option[Double] = values.get(name).filterNot(_.isNull).map { value =>
    value.numOpt.getOrElse(throw BadRequest(s"$name is $value; expected a number."))
  }

  def count(name: String): Option[Int] = number(name).map { value =>
    if (value.isValidInt) value.toInt else throw BadRequest(s"$name is $value; expected a whole number.")
  }
}
