package localhub.schemas

import java.time.Instant

/**
 * One version of a schema. It never changes.
 *
 * @param id      32 hexadecimal digits, unique in the registry
 * @param version from 1 on
 * @param content as clients get it: of an Avro schema, without white space
 */
final case class RegisteredSchema(
    id: String,
    group: String,
    name: String,
    version: Int,
    format: SchemaFormat,
    content: String,
    createdAt: Instant
)
