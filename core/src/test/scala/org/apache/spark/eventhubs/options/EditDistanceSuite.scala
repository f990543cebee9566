package org.apache.spark.eventhubs.options

import testkit.TestSuite

class EditDistanceSuite extends TestSuite {

  test("a typo is one wrong letter, or two of a long name, and short names have none") {
    val names = Seq("name", "prefetch", "maxEventsPerTrigger")
    assert(EditDistance.typo("prefech", names).contains("prefetch"))
    assert(EditDistance.typo("prfech", names).isEmpty)
    assert(EditDistance.typo("MaxEventPerTriger", names).contains("maxEventsPerTrigger"))
    assert(EditDistance.typo("maxFilesPerTrigger", names).isEmpty)
    assert(EditDistance.typo("nam", names).isEmpty)
  }

  test("each missing, added or wrong letter and each swap counts as 1") {
    assert(EditDistance.between("prefetch", "prefetch") == 0)
    assert(EditDistance.between("prefech", "prefetch") == 1)
    assert(EditDistance.between("prefettch", "prefetch") == 1)
    assert(EditDistance.between("prefatch", "prefetch") == 1)
    assert(EditDistance.between("prefecth", "prefetch") == 1)
    assert(EditDistance.between("", "abc") == 3)
  }

  test("the nearest name is found in any case, and no name if none is near") {
    val names = Seq("EntityPath", "Endpoint")
    assert(EditDistance.nearest("entitypth", names).contains("EntityPath"))
    assert(EditDistance.nearest("something", names).isEmpty)
  }
}
