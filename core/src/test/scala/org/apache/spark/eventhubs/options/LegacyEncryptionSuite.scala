package org.apache.spark.eventhubs.options

import testkit.TestSuite

object LegacyEncryptionSuite {
  val plain =
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=reader;SharedAccessKey=c2VjcmV0LWtleQ==;EntityPath=telemetry"

  /** The result of EventHubsUtils.encrypt of the published azure-eventhubs-spark_2.12 2.3.22 for `plain`. */
  val encrypted: String =
    "lvZib46ia+9SJW9rFRAJRy7dr3ZVRpFgkgCRk+XhTHoClvF7Uag4GPYgRkSLCvE5pwD7ebXTj0qmiBqKFrjDliZ1oj9nTj+d/I1rt3ot5EQZL6Im" +
      "UdXwFRKis23y2a5HvyjlY9JJDy0sWKlRHLDQOzX4nJ6s+800uXOpJxI0Y7k="

  /** The result with the key of 2.3.18. */
  val ofAnotherVersion: String =
    "XBkvAO/cTupdxPC2+TQL+rLNQwERINx1aqHozvEQ3zHZyFej2+JrTSBw+vTcKSpWIj25o8L8jOMUhDeqZGKBzrNU1lcK8YzJi5oA/Kpe5nr0ITi5" +
      "++K6bKRnfvwJIqUjLRHiKhuPAqFhoICP7eJuij8eAGNvr87Bdp2dGupwkZ0="
}

class LegacyEncryptionSuite extends TestSuite {
  import LegacyEncryptionSuite._

  test("a string that the legacy connector encrypted is recognised and decrypted") {
    assert(LegacyEncryption.looksEncrypted(encrypted))
    assert(LegacyEncryption.decrypt(encrypted).contains(plain))
  }

  test("a connection string does not look encrypted") {
    assert(!LegacyEncryption.looksEncrypted(plain))
  }

  test("a string that another version encrypted cannot be decrypted") {
    assert(LegacyEncryption.decrypt(ofAnotherVersion).isEmpty)
  }
}
