package benchmarks.harness

import java.nio.file.Files

import testkit.TestSuite

final class ResultFilesSuite extends TestSuite {

  private val workload = Workload(1000, 4, 100000, 50000)
  private val (near, usual, far) = (Profile.cloud(0), Profile.cloud(10), Profile.cloud(50))

  private def measured(profile: Profile, isSteady: Boolean = false): CaseResult = {
    val usage = ResourceUsage(100000, 1, 0.4, 200000000, 700000000, Nil, jitSeconds = 0.1)
    val of = workload.copy(steady = isSteady)
    CaseResult(Contender.OurBatchRead, of, Seq(Pass(usage, 0.1, 0)), profile = profile)
  }

  private def plan(name: String, profile: Profile): Plan = Plan.smoke.copy(name = name, profile = profile)

  /** Of long streams only. */
  private def streams(profile: Profile): Plan =
    plan("streams", profile).copy(reads = Nil, writes = Nil, steady = Seq(workload.copy(steady = true) -> Nil))

  /** A folder of results. */
  private class Fixture {
    private val folder = Files.createTempDirectory("results")

    /** A run that writes its results after each profile. */
    def run(name: String, profiles: Profile*): Unit = {
      val files = new ResultFiles(folder, profiles.map(plan(name, _)))
      profiles.indices.foreach { last =>
        files.write(profiles.take(last + 1).map(measured(_)), ujson.Obj("plan" -> name))
      }
    }

    /** A run that ends before it has results. */
    def abandon(name: String, profiles: Profile*): Unit = { new ResultFiles(folder, profiles.map(plan(name, _))); () }

    /** A run of long streams at one distance, and of everything else at another. */
    def runStreams(long: Profile, other: Profile): Unit =
      new ResultFiles(folder, Seq(streams(long), plan("streams", other)))
        .write(Seq(measured(long, isSteady = true), measured(other)), ujson.Obj("plan" -> "streams"))

    def read(path: String): ujson.Value = ujson.read(Files.readString(folder.resolve(path)))

    def profiles(path: String): Seq[Profile] = read(path).arr.toSeq.map { found =>
      Profile(found("profile").str == "cloud", found("roundTripMillis").num.toInt)
    }
  }

  test("a run of all profiles replaces the results, and keeps those of the run before") {
    val f = new Fixture
    f.run("quick", Profile.Loopback, usual)
    f.run("full", Profile.Loopback, usual, near, far)
    assert(f.profiles("latest.json") == Seq(Profile.Loopback, usual, near, far))
    assert(f.read("machine.json") == ujson.Obj("plan" -> "full"))
    assert(f.profiles("previous/latest.json") == Seq(Profile.Loopback, usual))
    assert(f.read("previous/machine.json") == ujson.Obj("plan" -> "quick"))
  }

  test("a run of the profile cloud alone replaces its distances, and says which run the other cases are of") {
    val f = new Fixture
    f.run("full", Profile.Loopback, usual, near, far)
    f.run("cloud", usual, near)
    assert(f.profiles("latest.json") == Seq(Profile.Loopback, far, usual, near))
    assert(f.read("machine.json") == ujson.Obj("plan" -> "full", "cloud" -> ujson.Obj("plan" -> "cloud")))
  }

  test("the previous run of the other profiles stays the previous one") {
    val f = new Fixture
    Seq("first", "second").foreach(f.run(_, Profile.Loopback, usual))
    f.run("cloud", usual)
    f.run("cloud", usual)
    assert(f.profiles("previous/latest.json") == Seq(Profile.Loopback, usual))
    assert(f.read("previous/machine.json") == ujson.Obj("plan" -> "first", "cloud" -> ujson.Obj("plan" -> "cloud")))
    assert(f.read("machine.json") == ujson.Obj("plan" -> "second", "cloud" -> ujson.Obj("plan" -> "cloud")))
  }

  test("a run of long streams keeps the short ones of its distance, until the profile is measured again") {
    val f = new Fixture
    f.run("full", Profile.Loopback, usual)
    f.run("cloud", usual, near)
    f.runStreams(usual, near)
    f.runStreams(usual, near)
    assert(f.profiles("latest.json") == Seq(Profile.Loopback, usual, usual, near))
    assert(f.read("latest.json").arr.map(_("steady").bool) == Seq(false, false, true, false))
    val parts = Seq("cloud", "streams").map(name => name -> ujson.Obj("plan" -> name))
    assert(f.read("machine.json") == ujson.Obj.from(("plan" -> ujson.Str("full")) +: parts))
    f.run("cloud", usual, near)
    assert(f.read("machine.json") == ujson.Obj.from(("plan" -> ujson.Str("full")) +: parts.take(1)))
  }

  test("a run that ends before it has results loses none") {
    val f = new Fixture
    f.run("full", Profile.Loopback, usual)
    f.abandon("cloud", usual)
    f.abandon("full", Profile.Loopback, usual)
    assert(f.profiles("latest.json") == Seq(Profile.Loopback, usual))
    assert(f.read("machine.json") == ujson.Obj("plan" -> "full"))
  }
}
