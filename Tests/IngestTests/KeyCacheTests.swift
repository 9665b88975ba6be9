import PushReceipts
import Testing

@testable import Ingest
@testable import Store

@Suite("The keys that a collector remembers")
struct KeyCacheTests {
  private func grant(_ id: String, revoked: Bool = false) -> KeyGrant {
    KeyGrant(
      id: id, scope: .ingest, isRevoked: revoked,
      project: Project(
        id: ProjectID(1), name: "demo", dedupe: .event, createdAt: Timestamp(microseconds: 0)))
  }

  private func isRevoked(_ verdict: KeyVerdict?) -> Bool? {
    if case .granted(let grant) = verdict { grant.isRevoked } else { nil }
  }

  @Test("a known key is believed until the database says otherwise")
  func refresh() {
    var cache = KeyCache()
    cache.remember("secret", grant("k1"), now: 0)
    #expect(isRevoked(cache.verdict(on: "secret", now: 1)) == false)
    #expect(cache.ids == ["k1"])
    cache.refresh(["k1"], with: [grant("k1", revoked: true)])
    #expect(isRevoked(cache.verdict(on: "secret", now: 2)) == true)
    cache.refresh(["k1"], with: [])
    #expect(cache.verdict(on: "secret", now: 3) == nil)
  }

  @Test("a key that came between question and answer is not forgotten")
  func refreshLeavesOthers() {
    var cache = KeyCache()
    cache.remember("a", grant("k1"), now: 0)
    let asked = cache.ids
    cache.remember("b", grant("k2"), now: 0)
    cache.refresh(asked, with: [grant("k1")])
    #expect(isRevoked(cache.verdict(on: "b", now: 1)) == false)
  }

  @Test("an unknown key is remembered for a few seconds only")
  func unknown() {
    var cache = KeyCache()
    cache.remember("wrong", nil, now: 0)
    if case .unknown = cache.verdict(on: "wrong", now: 1) {} else { Issue.record("not remembered") }
    #expect(cache.verdict(on: "wrong", now: KeyCache.unknownNanoseconds) == nil)
  }
}
