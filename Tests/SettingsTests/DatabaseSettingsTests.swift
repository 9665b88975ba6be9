import Testing

@testable import Settings

@Suite struct DatabaseSettingsTests {
  private func resolve(
    url: String? = nil, folder: String? = nil, _ environment: [String: String] = [:]
  ) throws -> DatabaseSettings {
    try .resolve(databaseURL: url, dataDirectory: folder, environment: environment)
  }

  private func complaint(url: String) -> String {
    do { return "\(try resolve(url: url))" } catch { return "\(error)" }
  }

  @Test func `without a word it is our own`() throws {
    #expect(try resolve() == .embedded(dataDirectory: ".receipts"))
    #expect(try resolve(folder: "/data") == .embedded(dataDirectory: "/data"))
    #expect(try resolve(["RECEIPTS_DATA_DIR": "/env"]) == .embedded(dataDirectory: "/env"))
    #expect(
      try resolve(folder: "/flag", ["RECEIPTS_DATA_DIR": "/env"])
        == .embedded(dataDirectory: "/flag"))
  }

  @Test func `an address is read as libpq reads it`() throws {
    #expect(
      try resolve(url: "postgres://app:s%20t@db.example:5433/receipts?sslmode=require")
        == .external([
          "host": "db.example", "port": "5433", "user": "app", "password": "s t",
          "dbname": "receipts", "sslmode": "require",
        ]))
    #expect(
      try resolve(url: "host=/run/postgresql dbname='my receipts'")
        == .external(["host": "/run/postgresql", "dbname": "my receipts"]))
    #expect(
      try resolve(["RECEIPTS_DATABASE_URL": "postgresql:///receipts"])
        == .external(["dbname": "receipts"]))
  }

  @Test func `the flag goes before the variables`() throws {
    let environment = ["RECEIPTS_DATABASE_URL": "dbname=b", "PGHOST": "c"]
    #expect(try resolve(url: "dbname=a", environment) == .external(["dbname": "a"]))
    #expect(try resolve(environment) == .external(["dbname": "b"]))
  }

  @Test(arguments: ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE"])
  func `a variable that names a server is left to libpq`(name: String) throws {
    #expect(try resolve([name: "x"]) == .external([:]))
    #expect(try resolve([name: ""]) == .embedded(dataDirectory: ".receipts"))
  }

  @Test func `other variables of libpq name no server`() throws {
    let environment = ["PGPASSWORD": "x", "PGAPPNAME": "x", "PGOPTIONS": "x", "PGDATA": "/x"]
    #expect(try resolve(environment) == .embedded(dataDirectory: ".receipts"))
  }

  @Test func `mistakes are told without the password`() {
    #expect(complaint(url: " ").hasPrefix("--database-url is empty: write it like postgres://"))
    let words = complaint(url: "postgres://app:top%zzsecret@host/db")
    #expect(words.hasPrefix("--database-url is not a database's address ("))
    #expect(!words.contains("secret"))
    for url in ["app:secret@host", "hast=secret", "dbname='secret", "postgres://u:secret@[::1/db"] {
      let words = complaint(url: url)
      #expect(words.hasPrefix("--database-url is not"), "\(words)")
      #expect(!words.contains("secret"), "\(words)")
    }
  }

  @Test func `the description has no password`() throws {
    let url = "postgres://app:secret@db.example:5433/receipts?password=secret&sslpassword=secret"
    #expect(
      try resolve(url: url).description(environment: [:])
        == "PostgreSQL at db.example, port 5433, database receipts, user app")
    #expect(
      DatabaseSettings.external([:]).description(
        environment: ["PGHOST": "db", "PGPASSWORD": "secret", "PGUSER": "app"])
        == "PostgreSQL named by PGHOST=db PGUSER=app")
    #expect(
      try resolve().description(environment: [:]) == "its own PostgreSQL in .receipts")
  }
}
