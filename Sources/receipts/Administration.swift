import JSON
import PushReceipts
import Reports
import Settings
import Store

/// `receipts projects` and `receipts keys`.
enum Administration {
  static let commands = [
    createProject, listProjects, updateProject, createKey, listKeys, revokeKey,
  ]

  private static let createProject = Command(
    words: ["projects", "create"],
    flags: [.value("dedupe"), .value("rate"), Command.format] + Database.flags,
    help: Help.projects
  ) { flags in
    let name = flags.takePositionals(["NAME"])[0]
    if !flags.positionals.isEmpty && !Project.isValid(name: name) {
      flags.report(
        "\(name): a name has up to 64 of A-Z a-z 0-9 _ . - and begins with a letter or digit")
    }
    let dedupe = flags.parsed("dedupe", or: Dedupe.event, expected: "event or event-device") {
      Dedupe(rawValue: $0)
    }
    let rate = flags.rate()
    let format = flags.format()
    try flags.check()
    let store = ProjectStore(try Database.connect(flags))
    let project = try store.create(name: name, dedupe: dedupe, rateLimit: rate)
    write(project, as: format, "created")
  }

  private static let listProjects = Command(
    words: ["projects", "list"], flags: [Command.format] + Database.flags, help: Help.projects
  ) { flags in
    _ = flags.takePositionals([])
    let format = flags.format()
    try flags.check()
    let projects = try ProjectStore(try Database.connect(flags)).list()
    let listing = Listing(
      name: "projects", keys: ["project", "dedupe", "rate", "createdAt"],
      rows: projects.map { project in
        [
          .text(project.name), .text(project.dedupe.rawValue),
          project.rateLimit.map { .count(Int64($0)) } ?? .none,
          .text(project.createdAt.rfc3339),
        ]
      },
      emptiness: "There is no project yet: make one with receipts projects create NAME.")
    write(listing, as: format)
  }

  private static let updateProject = Command(
    words: ["projects", "update"], flags: [.value("rate"), Command.format] + Database.flags,
    help: Help.projects
  ) { flags in
    let name = flags.takePositionals(["NAME"])[0]
    if flags.text("rate") == nil { flags.report("--rate is missing: there is nothing to change") }
    let rate = flags.rate()
    let format = flags.format()
    try flags.check()
    let store = ProjectStore(try Database.connect(flags))
    write(try store.update(name: name, rateLimit: rate), as: format, "changed")
  }

  private static let createKey = Command(
    words: ["keys", "create"],
    flags: [.value("project"), .value("scope"), Command.format] + Database.flags, help: Help.keys
  ) { flags in
    _ = flags.takePositionals([])
    let project = flags.required("project", "whose key it is")
    let scope = flags.parsed("scope", or: KeyScope.ingest, expected: "ingest or send") {
      KeyScope(rawValue: $0)
    }
    let format = flags.format()
    try flags.check()
    var random = SystemRandomNumberGenerator()
    let admin = KeyAdmin(try Database.connect(flags))
    let key = try admin.create(project: project, scope: scope, random: &random)
    let members = [
      ("project", project), ("scope", scope.rawValue), ("id", key.id), ("key", key.secret),
    ]
    switch format {
    case .json: write(members)
    case .csv: Terminal.write(CSVRenderer.lines([members.map(\.0), members.map(\.1)]))
    case .table:
      Terminal.write(
        """
        A key for \(project), scope \(scope.rawValue). It is shown only now: keep it.

          id   \(key.id)
          key  \(key.secret)

        """)
    }
  }

  private static let listKeys = Command(
    words: ["keys", "list"], flags: [.value("project"), Command.format] + Database.flags,
    help: Help.keys
  ) { flags in
    _ = flags.takePositionals([])
    let project = flags.required("project", "whose keys to list")
    let format = flags.format()
    try flags.check()
    let keys = try KeyAdmin(try Database.connect(flags)).list(project: project)
    let listing = Listing(
      name: "keys", keys: ["id", "scope", "createdAt", "revokedAt"],
      rows: keys.map { key in
        [
          .text(key.id), .text(key.scope), .text(key.createdAt.rfc3339),
          key.revokedAt.map { .text($0.rfc3339) } ?? .none,
        ]
      },
      emptiness: "\(project) has no key yet: make one with receipts keys create.")
    write(listing, as: format, with: ["project": project])
  }

  private static let revokeKey = Command(
    words: ["keys", "revoke"], flags: [Command.format] + Database.flags, help: Help.keys
  ) { flags in
    let id = flags.takePositionals(["ID"])[0]
    let format = flags.format()
    try flags.check()
    let key = try KeyAdmin(try Database.connect(flags)).revoke(id: id)
    let revokedAt = key.revokedAt?.rfc3339 ?? ""
    let members = [
      ("project", key.project), ("scope", key.scope), ("id", key.id), ("revokedAt", revokedAt),
    ]
    switch format {
    case .json: write(members)
    case .csv: Terminal.write(CSVRenderer.lines([members.map(\.0), members.map(\.1)]))
    case .table:
      Terminal.write("\(key.id) (\(key.project), \(key.scope)) is revoked since \(revokedAt).\n")
    }
  }

  private static func write(_ project: Project, as format: Format, _ what: String) {
    let rate = project.rateLimit.map { Int64($0) }
    switch format {
    case .json:
      var json = JSONWriter()
      json.object { json in
        json.member("project", project.name)
        json.member("dedupe", project.dedupe.rawValue)
        if let rate { json.member("rate", rate) }
      }
      Terminal.write(json.text + "\n")
    case .csv:
      Terminal.write(
        CSVRenderer.lines([
          ["project", "dedupe", "rate"],
          [project.name, project.dedupe.rawValue, rate.map { String($0) } ?? ""],
        ]))
    case .table:
      let limit = rate.map { "\($0) receipts and sends a second" } ?? "no rate limit"
      Terminal.write(
        "Project \(project.name) \(what): dedupe \(project.dedupe.rawValue), \(limit).\n")
    }
  }

  private static func write(_ members: [(String, String)]) {
    var json = JSONWriter()
    json.object { json in for (key, value) in members { json.member(key, value) } }
    Terminal.write(json.text + "\n")
  }

  private static func write(
    _ listing: Listing, as format: Format, with members: KeyValuePairs<String, String> = [:]
  ) {
    switch format {
    case .table: Terminal.write(Terminal.renderer.text(listing))
    case .json: Terminal.write(JSONRenderer.text(listing, with: members))
    case .csv: Terminal.write(CSVRenderer.text(listing))
    }
  }
}

extension CommandLineFlags {
  /// `--rate`: a number, or `none`.
  fileprivate mutating func rate() -> Int32? {
    parsed("rate", or: Int32?.none, expected: "a whole number above 0, or none") { text in
      if text == "none" { return .some(nil) }
      return Int32(text).flatMap { $0 > 0 ? .some($0) : nil }
    }
  }
}
