import Foundation
import Synchronization
import Testing

@testable import Ingest

@Suite("The lane of heavy posts")
struct HeavyLaneTests {
  @Test("runs posts one by one in their order, on a thread of its own, and refuses too many")
  func lane() {
    let lane = HeavyLane()
    let (entered, gate, done) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let ran = Mutex<[Int]>([])
    let isFirstTaken = lane.run {
      entered.signal()
      gate.wait()
    }
    #expect(isFirstTaken)
    // It is being read now, and so does not wait any more; nor did this thread wait for it.
    entered.wait()
    var taken = 0
    while lane.run({ [number = taken] in
      ran.withLock { $0.append(number) }
      done.signal()
    }) {
      taken += 1
      if taken > 10_000 { break }
    }
    #expect(taken == 200)
    gate.signal()
    for _ in 0..<taken { done.wait() }
    #expect(ran.withLock { $0 } == Array(0..<200))
    lane.stop()
  }

  @Test("is for what takes milliseconds to read")
  func weight() {
    #expect(!HeavyLane.isHeavy([UInt8](repeating: 0, count: 100_000), .none))
    #expect(HeavyLane.isHeavy([UInt8](repeating: 0, count: 200_000), .none))
    #expect(HeavyLane.isHeavy([], .gzip))
  }
}
