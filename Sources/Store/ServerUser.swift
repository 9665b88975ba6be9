import Glibc

/// As whom PostgreSQL runs. It refuses to run as root, and rightly.
struct ServerUser: Sendable, Equatable {
  let name: String
  let uid: uid_t
  let gid: gid_t
  /// Whether we are root and have to become this user.
  let isSwitched: Bool

  /// Ourselves, or, for root, `postgres`, which comes with the Debian package, else `nobody`.
  static func current() throws(EmbeddedPostgresError) -> ServerUser {
    let own = geteuid()
    guard own == 0 else {
      return ServerUser(name: name(of: own), uid: own, gid: getegid(), isSwitched: false)
    }
    for name in ["postgres", "nobody"] {
      if let entry = getpwnam(name), entry.pointee.pw_uid != 0 {
        let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        return ServerUser(name: name, uid: uid, gid: gid, isSwitched: true)
      }
    }
    throw EmbeddedPostgresError(
      "PostgreSQL does not run as root, and there is neither a user postgres nor nobody: "
        + "start receiptd as another user, or name a database with --database-url")
  }

  /// The name of a user, else its number.
  static func name(of uid: uid_t) -> String {
    getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? String(uid)
  }

  /// A command line that runs `arguments` as this user.
  /// - Parameter deathSignal: what the kernel sends it when the thread that starts it is gone, also
  ///   where that was kill -9. Being in another process group, nothing else would tell it.
  func command(_ arguments: [String], deathSignal: String) throws(EmbeddedPostgresError) -> [String]
  {
    guard let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first(where: Files.isExecutable) else {
      throw EmbeddedPostgresError(
        "setpriv is missing: apt-get install util-linux, or name a database with --database-url")
    }
    let switching =
      isSwitched ? ["--reuid", String(uid), "--regid", String(gid), "--init-groups"] : []
    return [setpriv, "--pdeathsig", deathSignal] + switching + ["--"] + arguments
  }

  /// Makes sure that this user reaches a folder. Asked by trying, as groups and ACLs count too. The
  /// folders in the way belong to others: they are named, not changed.
  func checkReach(of folder: String) throws(EmbeddedPostgresError) {
    guard isSwitched else { return }
    if try canEnter(folder) { return }
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      if try !canEnter(path) { break }
    }
    throw EmbeddedPostgresError(
      "the database runs as user \(name), not as root, and \(name) cannot enter \(path): "
        + "choose another folder, such as --data-dir /var/lib/push-receipts")
  }

  private func canEnter(_ folder: String) throws(EmbeddedPostgresError) -> Bool {
    let (ending, output) = try ChildProcess.run(
      command(["/usr/bin/test", "-x", folder], deathSignal: "KILL"))
    guard output.isEmpty else {
      throw EmbeddedPostgresError("cannot run programs as user \(name): \(output.firstLine)")
    }
    return ending == .exit(0)
  }
}

extension String {
  var firstLine: Substring { split(separator: "\n").first ?? "" }
}
