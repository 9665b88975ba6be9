import Synchronization
import Testing

@testable import Ingest

@Suite("A log of what may come thousands of times")
struct QuietLogTests {
  @Test("says the first at once and keeps the rest to itself for a while")
  func silence() {
    let lines = Mutex<[String]>([])
    let log = QuietLog { line in lines.withLock { $0.append(line) } }
    for number in 0..<1_000 { log("line \(number)") }
    #expect(lines.withLock { $0 } == ["line 0"])
  }
}
