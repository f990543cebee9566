package localhub.amqp.service

import scala.util.Using

import localhub.auth.{Claim, Role, RoleAssignment, SharedAccessPolicy}
import localhub.authority.Application
import localhub.http.TestClient
import localhub.{HubConfig, LocalHub, LocalHubConfig}
import testkit.TestSuite

/** The service's list of a namespace's event hubs, which the AMQP port serves over HTTP. */
class HubFeedSuite extends TestSuite {

  private val listener = SharedAccessPolicy("listener", "key", Set(Claim.Listen))
  private val names = (1 to 130).map(n => f"hub-$n%03d")
  private val config =
    LocalHubConfig(hubs = names.map(HubConfig(_, 1)), policies = Seq(SharedAccessPolicy.Root, listener))

  private def signature(resource: String, policy: SharedAccessPolicy): String = Signatures.of(resource, policy)

  private val root = signature("https://localhost/", SharedAccessPolicy.Root)

  private def get(hub: LocalHub, query: String, authorization: String*) = new TestClient(hub.amqpPort)
    .call("GET", "/$Resources/Eventhubs?api-version=2014-01" + query, headers = authorization.map("Authorization" -> _))

  private def titles(feed: String): Seq[String] =
    "<entry>.*?<title type=\"text\">(.*?)</title>".r.findAllMatchIn(feed).map(_.group(1)).toSeq

  test("a page has at most 100 event hubs, and $skip and $top choose it") {
    Using.resource(LocalHub.start(config)) { hub =>
      val first = get(hub, "", root)
      assert(first.statusCode == 200 && titles(first.body) == names.take(100))
      assert(first.headers.firstValue("Content-Type").get.startsWith("application/atom+xml"))
      assert(titles(get(hub, "&$skip=100&$top=100", root).body) == names.drop(100))
      assert(titles(get(hub, "&%24skip=3&%24top=2", root).body) == names.slice(3, 5))
      assert(titles(get(hub, "&$skip=200", root).body).isEmpty)
      assert(first.body.contains("<PartitionCount>1</PartitionCount>"))
    }
  }

  test("a page links to the next one while more event hubs follow") {
    Using.resource(LocalHub.start(config)) { hub =>
      def next(query: String): Option[String] =
        "<link rel=\"next\" href=\"(.*?)\"/>".r.findFirstMatchIn(get(hub, query, root).body).map(_.group(1))
      val address = s"https://127.0.0.1:${hub.amqpPort}/$$Resources/Eventhubs"
      assert(next("") == Some(s"$address?%24skip=100&amp;%24top=100&amp;api-version=2014-01"))
      assert(next("&$skip=3&$top=2") == Some(s"$address?%24skip=5&amp;%24top=2&amp;api-version=2014-01"))
      assert(Seq("&$skip=100", "&$skip=30&$top=100", "&$skip=2147483647", "&$top=0").forall(next(_).isEmpty))
    }
  }

  test("only a token of the namespace with the Manage claim is accepted") {
    Using.resource(LocalHub.start(config)) { hub =>
      def refused(authorization: String*): String = {
        val answer = get(hub, "", authorization: _*)
        assert(answer.statusCode == 401 && titles(answer.body).isEmpty)
        "<Detail>(.*?)</Detail>".r.findFirstMatchIn(answer.body).get.group(1)
      }
      assert(refused(signature("https://localhost/", listener)).startsWith("Manage,EntityRead claims required"))
      assert(refused(signature("https://localhost/hub-001", SharedAccessPolicy.Root)).startsWith("InvalidAudience"))
      assert(refused(signature(
        "https://localhost/",
        SharedAccessPolicy.Root.copy(key = "other")
      )).startsWith("InvalidSignature"))
      assert(refused().startsWith("MalformedToken"))
      assert(refused("Bearer a.b.c").startsWith("InvalidIssuer"))
    }
  }

  test("the role Data Owner on the namespace lists, and no other") {
    Using.resource(LocalHub.start(config)) { hub =>
      val authority = hub.startAuthority()
      def status(roles: RoleAssignment*): Int = {
        val application = authority.register(Application("lister", roles = roles))
        get(hub, "&$top=1", s"Bearer ${authority.token(application)}").statusCode
      }
      assert(status(RoleAssignment(Role.DataOwner)) == 200)
      assert(status(RoleAssignment(Role.DataReceiver)) == 401)
      assert(status(RoleAssignment(Role.DataOwner, hub = Some("hub-001"))) == 401)
      assert(status() == 401)
    }
  }

  private def put(hub: LocalHub, name: String, partitions: Int, authorization: String) =
    new TestClient(hub.amqpPort).call(
      "PUT",
      s"/$name?api-version=2014-01",
      "<entry xmlns=\"http://www.w3.org/2005/Atom\"><content type=\"application/xml\"><EventHubDescription>" +
        s"<PartitionCount>$partitions</PartitionCount></EventHubDescription></content></entry>",
      Seq("Authorization" -> authorization, "Content-Type" -> "application/atom+xml;type=entry;charset=utf-8")
    )

  test("PUT creates an event hub, with a token with Manage; one that exists stays as it is") {
    Using.resource(LocalHub.start(config)) { hub =>
      assert(put(hub, "new", 3, signature("https://localhost/", listener)).statusCode == 401)
      assert(put(hub, "new", 3, root).statusCode == 201)
      assert(titles(get(hub, "&$skip=130", root).body) == Seq("new"))
      assert(get(hub, "&$skip=130", root).body.contains("<PartitionCount>3</PartitionCount>"))
      assert(put(hub, "new", 8, root).statusCode == 409)
      assert(get(hub, "&$skip=130", root).body.contains("<PartitionCount>3</PartitionCount>"))
      assert(put(hub, "too-many", 99999, root).statusCode == 400)
    }
  }

  test("another path is not found, and a page of another site is refused") {
    Using.resource(LocalHub.start(config)) { hub =>
      val client = new TestClient(hub.amqpPort)
      assert(client.call("GET", "/$Resources/Topics").statusCode == 404)
      val foreign = Seq("Authorization" -> root, "Origin" -> "http://site.example")
      assert(client.call("GET", "/$Resources/Eventhubs", headers = foreign).statusCode == 403)
    }
  }
}
