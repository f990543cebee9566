package localhub.authority

import java.net.{Socket, URI}
import java.nio.charset.StandardCharsets.US_ASCII

import testkit.TestSuite

/** The endpoint of a virtual machine's identities. */
class MachineIdentitySuite extends TestSuite with AuthorityFixture {

  private def answer(path: String): String = {
    val address = URI.create(authority.identityUrl)
    val socket = new Socket(address.getHost, address.getPort)
    try {
      val query = "api-version=2018-02-01&resource=https%3A%2F%2Feventhubs.azure.net"
      val request = s"GET $path?$query HTTP/1.1\r\nHost: localhost\r\nMetadata: true\r\nConnection: close\r\n\r\n"
      socket.getOutputStream.write(request.getBytes(US_ASCII))
      new String(socket.getInputStream.readAllBytes(), US_ASCII)
    } finally socket.close()
  }

  test("it answers with one slash and, as Microsoft's library for Java asks, with two") {
    authority.register(Application("machine").asSystemAssigned)
    val path = "/metadata/identity/oauth2/token"
    assert(answer(path).startsWith("HTTP/1.1 200"))
    assert(answer(s"/$path").startsWith("HTTP/1.1 200"))
    assert(authority.requests.takeRight(2).map(_.path) == Seq(path, path))
  }
}
