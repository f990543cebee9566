package localhub.authority

import java.net.http.{HttpClient => JdkClient}
import java.time.Duration

import scala.jdk.CollectionConverters._

import com.azure.core.exception.{HttpResponseException, ResourceNotFoundException}
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder
import com.azure.core.util.serializer.TypeReference
import com.azure.data.schemaregistry.apacheavro.SchemaRegistryApacheAvroSerializerBuilder
import com.azure.data.schemaregistry.models.{SchemaFormat => Format}
import com.azure.data.schemaregistry.{SchemaRegistryClient, SchemaRegistryClientBuilder}
import com.azure.messaging.eventhubs.models.{EventPosition, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.apache.avro.Schema
import org.apache.avro.generic.{GenericRecord, GenericRecordBuilder}

import localhub.auth.{Role, RoleAssignment}
import localhub.schemas.SchemaGroupConfig
import testkit.{Certificates, TestSuite}

/** The official Java client of the schema registry, and its Avro serializer, with events over the hub. */
class JavaSchemaRegistrySuite extends TestSuite with AuthorityFixture {

  private val user = """{"type":"record","name":"User","namespace":"com.example",""" +
    """"fields":[{"name":"name","type":"string"}]}"""
  private val wider = user.replace("}]}", """},{"name":"age","type":"int"}]}""")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    hub.schemas.ensureGroup(SchemaGroupConfig("people"))
    ()
  }

  private lazy val trusted = Certificates.trusting(Certificates.parse(hub.certificatePem.get))

  private def builder(role: Role): SchemaRegistryClientBuilder = {
    val application = authority.register(Application("schemas", roles = Seq(RoleAssignment(role))).withSecret("secret"))
    new SchemaRegistryClientBuilder()
      .fullyQualifiedNamespace(s"localhost:${hub.tlsPort.get}")
      .credential(withSecret(application, "secret"))
      .httpClient(new JdkHttpClientBuilder(JdkClient.newBuilder().sslContext(trusted)).build())
      .retryOptions(retries(0))
  }

  private lazy val client: SchemaRegistryClient = builder(Role.SchemaContributor).buildClient()

  test("a schema is registered and found by id, version and content") {
    val registered = client.registerSchema("people", "found", user, Format.AVRO)
    assert((registered.getGroupName, registered.getName, registered.getVersion) == (("people", "found", 1)))
    assert(client.registerSchema("people", "found", wider, Format.AVRO).getVersion == 2)
    assert(client.registerSchema("people", "found", user, Format.AVRO).getId == registered.getId)
    val byId = client.getSchema(registered.getId)
    assert(byId.getDefinition == user && byId.getProperties.getFormat == Format.AVRO)
    assert(client.getSchema("people", "found", 2).getDefinition == wider)
    assert(client.getSchemaProperties("people", "found", user, Format.AVRO).getId == registered.getId)
  }

  test("refusals are the exceptions of the SDK") {
    intercept[ResourceNotFoundException](client.getSchemaProperties("people", "never", user, Format.AVRO))
    intercept[ResourceNotFoundException](client.getSchema("f" * 32))
    val stranger = builder(Role.DataReceiver).buildClient()
    assert(intercept[HttpResponseException](stranger.getSchema("f" * 32)).getResponse.getStatusCode == 401)
  }

  test("events of the Avro serializer name the version that they have") {
    val serializer = new SchemaRegistryApacheAvroSerializerBuilder()
      .schemaRegistryClient(builder(Role.SchemaContributor).buildAsyncClient())
      .schemaGroup("people").autoRegisterSchemas(true).buildSerializer()
    def event(schema: String, fields: (String, Any)*): EventData = {
      val record = new GenericRecordBuilder(new Schema.Parser().parse(schema))
      fields.foreach { case (name, value) => record.set(name, value) }
      serializer.serialize(record.build(), TypeReference.createInstance(classOf[EventData]))
    }
    val sent = Seq(event(user, "name" -> "Ada"), event(wider, "name" -> "Ben", "age" -> 7))
    val events =
      new EventHubClientBuilder().connectionString(hub.connectionString("telemetry")).consumerGroup("$Default")
    val producer = events.buildProducerClient()
    val consumer = events.buildConsumerClient()
    try {
      producer.send(sent.asJava, new SendOptions().setPartitionId("0"))
      val read = consumer.receiveFromPartition("0", 2, EventPosition.earliest(), Duration.ofSeconds(60)).asScala.toSeq
        .map(_.getData)
      assert(read.map(_.getContentType) == sent.map(_.getContentType))
      val ids = read.map(_.getContentType.stripPrefix("avro/binary+"))
      assert(ids.map(id => client.getSchema(id).getProperties.getVersion) == Seq(1, 2))
      val decoded = read.map(serializer.deserialize(_, TypeReference.createInstance(classOf[GenericRecord])).toString)
      assert(decoded == Seq("""{"name": "Ada"}""", """{"name": "Ben", "age": 7}"""))
    } finally {
      producer.close()
      consumer.close()
    }
  }
}
