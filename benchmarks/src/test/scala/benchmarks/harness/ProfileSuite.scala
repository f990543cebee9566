package benchmarks.harness

import testkit.TestSuite

final class ProfileSuite extends TestSuite {

  test("a profile has a name and a round trip") {
    assert(Profile.parse("loopback") == Profile.Loopback)
    assert(Profile.parse("cloud") == Profile.cloud(10))
    assert(Profile.parse("cloud:50") == Profile.cloud(50))
    assert(intercept[IllegalArgumentException](Profile.parse("moon")).getMessage.contains("loopback, cloud"))
  }

  test("each case of a full run has its own profile, round trip, workload and contender") {
    val plans = Plan.named("full")
    val cases = for {
      plan <- plans
      (workload, contenders) <- plan.reads ++ plan.writes ++ plan.steady
      contender <- contenders
    } yield (plan.profile, workload, contender)
    assert(cases.distinct.size == cases.size)
    assert(plans.map(_.profile) == Profile.Loopback +: Seq(10, 0, 50).map(Profile.cloud))
  }

  test("the profile and the steady state are fields of a case") {
    val workload = Workload(100, 4, 400, 4, steady = true)
    val usage = ResourceUsage(400, 1, 1, 0, 0, Nil, cpuOfThreads = Map("tasks" -> 0.2, "client" -> 0.1))
    val pass = Pass(usage, serverCpuSeconds = 0.1, otherCores = 0, proxyCpuSeconds = 0.5)
    val json = CaseResult(Contender.OurStreamV2, workload, Seq(pass), profile = Profile.cloud(10)).json
    assert(json("profile").str == "cloud" && json("roundTripMillis").num == 10 && json("steady").bool)
    assert(json("cpuMicrosPerEventOfThreads") == ujson.Obj("client" -> 250.0, "tasks" -> 500.0))
    assert(json("proxyCores").num == 0.5)
  }
}
