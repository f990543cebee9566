"""What the generated constructor and methods of `EventHubsConf` say about one option."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conf_examples import EXAMPLES
from spark_eventhubs._option_spec import PATHS

if TYPE_CHECKING:
    from spark_eventhubs import OptionSpec

# The names of the Azure SDK, where it has one.
SDK_NAMES = {"eventhubs.namespace": "fully_qualified_namespace", "eventhubs.name": "eventhub_name"}

ANNOTATIONS = {
    "text": "str",
    "int": "int",
    "long": "int",
    "bytes": "int | str",
    "boolean": "bool",
    "duration": "timedelta | str",
    "position": "Position",
    "positions": "Mapping[Key, Position]",
    "partitions": "Sequence[int] | str",
    "names": "str | Sequence[str]",
}
MEANINGS = {
    "text": "Text.",
    "bytes": "A number of bytes, or text with a binary unit such as `16m`.",
    "boolean": "True or False.",
    "duration": "A timedelta, or text such as `30s` or `PT30S`. Above zero.",
    "position": "`earliest`, `latest`, a sequence number, a datetime with its time zone, or an EventPosition.",
    "positions": "A dict from partition ids (numbers, digits or NameAndPartition) to positions.",
    "partitions": "Partition ids, or text such as `0-3`.",
    "names": "A name, or a list of names.",
}


def name_of(spec: OptionSpec) -> str:
    """The option's name as a keyword: `eventhubs.maxEventsPerTrigger` is `max_events_per_trigger`."""
    if spec.key in SDK_NAMES:
        return SDK_NAMES[spec.key]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", spec.key.removeprefix("eventhubs."))
    return words.replace(".", "_").lower().replace("retry_max_retries", "max_retries")


def annotation(spec: OptionSpec) -> str:
    """The type of the option's value."""
    if "|" in spec.type:
        return f"Literal[{', '.join(repr(word) for word in spec.type.split('|'))}]"
    if spec.key in PATHS:
        return "str | PathLike[str]"
    return "str | int" if spec.key == "eventhubs.partitionKey" else ANNOTATIONS[spec.type]


def meaning(spec: OptionSpec) -> str:
    """Unit and bounds of the value."""
    least, most = spec.minimum, spec.maximum
    bounds = "" if least is None else f" from {least}" + ("" if most is None else f" to {most}")
    if "|" in spec.type:
        return "One of " + ", ".join(f"`{word}`" for word in spec.type.split("|")) + "."
    if spec.key in PATHS:
        return "Text, or an os.PathLike such as a pathlib.Path."
    if spec.type in {"int", "long"}:
        return f"A whole number{bounds}."
    if spec.type == "bytes":
        return f"{MEANINGS['bytes'].removesuffix('.')};{bounds}."
    return MEANINGS[spec.type]


def default(spec: OptionSpec) -> str:
    """The default as the method's description says it. The table's doc already says what has no value."""
    return "" if spec.default is None else f" Default: `{spec.default}`."


def example(spec: OptionSpec) -> str:
    """A value in Python."""
    if spec.key in EXAMPLES:
        return EXAMPLES[spec.key]
    if spec.type == "boolean":
        return str(spec.default != "true")
    if spec.type == "duration":
        return "timedelta(seconds=30)"
    return repr(spec.type.split("|")[-1])


def described(spec: OptionSpec) -> str:
    """What the option is, with the form of its value where that is not plain text."""
    form = "" if meaning(spec) == MEANINGS["text"] else f" {meaning(spec)}"
    return f"{spec.doc}{form}{default(spec)}"
