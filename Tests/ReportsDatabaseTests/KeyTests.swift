import Foundation
import Postgres
import Store
import Synchronization
import Testing

@Suite struct KeyTests {
  private func create(
    _ database: ReportDatabase, _ scope: KeyScope = .ingest
  ) throws -> (id: String, secret: String) {
    var random = SystemRandomNumberGenerator()
    return try KeyAdmin(try database.connect()).create(
      project: "demo", scope: scope, random: &random)
  }

  @Test func `a key has its form, and only its hash is stored`() throws {
    let database = try ReportDatabase()
    let key = try create(database, .send)
    #expect(key.id.wholeMatch(of: /key_[a-z2-7]{12}/) != nil)
    #expect(key.secret.wholeMatch(of: /pr_send_[A-Za-z0-9_-]{43}/) != nil)
    var parameters = Parameters()
    parameters.append(key.secret)
    let found = try database.connect().query(
      "select count(*) from keys where hash = sha256(convert_to($1::text, 'UTF8'))", parameters)
    #expect(found.int64(0, 0) == 1)
  }

  @Test func `two keys of a scope may live, a revoked one makes room`() throws {
    let database = try ReportDatabase()
    let first = try create(database)
    _ = try create(database)
    let error = #expect(throws: StoreError.self) { try create(database) }
    #expect(error?.description.contains(first.id) == true)
    _ = try create(database, .send)
    let admin = KeyAdmin(try database.connect())
    let revokedAt = try admin.revoke(id: first.id).revokedAt
    #expect(revokedAt != nil)
    #expect(try admin.revoke(id: first.id).revokedAt == revokedAt)
    _ = try create(database)
    #expect(try admin.list(project: "demo").count == 4)
    #expect(throws: StoreError.self) { try admin.revoke(id: "key_nobody") }
  }

  @Test func `of twenty who make keys at once two get one`() throws {
    let database = try ReportDatabase()
    let made = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 20) { _ in
      if (try? create(database)) != nil { made.withLock { $0 += 1 } }
    }
    #expect(made.withLock { $0 } == 2)
  }

  @Test func `projects are made once and changed`() throws {
    let database = try ReportDatabase()
    let store = ProjectStore(try database.connect())
    let made = try store.create(name: "app.one", dedupe: .eventDevice, rateLimit: 5)
    #expect(made.rateLimit == 5)
    #expect(throws: StoreError.self) {
      try store.create(name: "app.one", dedupe: .event, rateLimit: nil)
    }
    #expect(try store.update(name: "app.one", rateLimit: nil).rateLimit == nil)
    #expect(throws: StoreError.self) { try store.update(name: "nobody", rateLimit: nil) }
    #expect(try store.list().map(\.name) == ["app.one", "demo", "other"])
  }
}
