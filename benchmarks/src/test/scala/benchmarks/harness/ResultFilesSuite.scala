package benchmarks.harness

import java.nio.file.Files

import testkit.TestSuite

final class ResultFilesSuite extends TestSuite {

  private val folder = Files.createTempDirectory("results")
  private val workload = Workload(1000, 4, 100000, 50000)

  private def measured(profile: Profile): CaseResult = {
    val usage = ResourceUsage(100000, 1, 0.4, 200000000, 700000000, Nil, jitSeconds = 0.1)
    CaseResult(Contender.OurBatchRead, workload, Seq(Pass(usage, 0.1, 0)), profile = profile)
  }

  private def about(plan: String) = ujson.Obj("plan" -> plan)

  private def read(path: String): ujson.Value = ujson.read(Files.readString(folder.resolve(path)))

  private def profiles(path: String): Seq[String] = read(path).arr.map(_("profile").str).toSeq

  test("a run of all profiles replaces the results, and keeps those of the run before") {
    new ResultFiles(folder, onlyCloud = false).write(Seq(measured(Profile.Loopback)), about("quick"))
    new ResultFiles(folder, onlyCloud = false)
      .write(Seq(Profile.Loopback, Profile.cloud(10)).map(measured), about("full"))
    assert(profiles("latest.json") == Seq("loopback", "cloud") && read("machine.json") == about("full"))
    assert(profiles("previous/latest.json") == Seq("loopback") && read("previous/machine.json") == about("quick"))
  }

  test("a run of the profile cloud alone keeps the other cases, and says which run they are of") {
    val files = new ResultFiles(folder, onlyCloud = true)
    val stages = Seq(Profile.cloud(10), Profile.cloud(0)).map(measured)
    stages.inits.toSeq.reverse.tail.foreach(files.write(_, about("cloud")))
    assert(profiles("latest.json") == Seq("loopback", "cloud", "cloud"))
    assert(read("latest.json").arr.map(_("roundTripMillis").num) == Seq(0, 10, 0))
    assert(read("machine.json") == ujson.Obj("plan" -> "full", "cloud" -> about("cloud")))

    new ResultFiles(folder, onlyCloud = true).write(stages.take(1), about("cloud"))
    assert(profiles("latest.json") == Seq("loopback", "cloud") && profiles("previous/latest.json").size == 3)
  }
}
