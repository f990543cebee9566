package org.apache.spark.eventhubs.signin

import org.apache.spark.eventhubs.credentials.{Plain, ProviderClass}
import org.apache.spark.eventhubs.options.ProxySettings
import org.apache.spark.eventhubs.{Credential, TestSettings}
import testkit.TestSuite

/** Two sessions with different jars may have two classes of one name. */
class ClientKeySuite extends TestSuite {

  import SessionLoader.in

  private val className = classOf[Plain].getName
  private val provided = Credential.Provided(className, Map.empty)
  private val settings = TestSettings.stream().connection.copy(credential = provided)

  test("sessions with different classes of one name share no connection and no credential") {
    val (one, other) = (new SessionLoader(className), new SessionLoader(className))
    assert(in(one)(ProviderClass.create(className, Map.empty).getClass) != classOf[Plain])
    assert(in(one)(ClientKey.of(settings)) != in(other)(ClientKey.of(settings)))
    assert(in(one)(ClientKey.of(settings)) == in(one)(ClientKey.of(settings)))
    val network = SignInNetwork(ProxySettings.Unset, None)
    val first = in(one)(EntraSignIn.of(provided, network))
    assert(in(other)(EntraSignIn.of(provided, network)) ne first)
    assert(in(one)(EntraSignIn.of(provided, network)) eq first)
  }

  test("sessions that find the same class share a connection") {
    val loaders = Seq.fill(2)(new ClassLoader(getClass.getClassLoader) {})
    assert(loaders.map(in(_)(ClientKey.of(settings))).distinct.size == 1)
  }
}
