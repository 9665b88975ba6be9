// What the SDK costs a notification service extension, which has little memory and little time.
//
//   extension-bench [CALLS]           all figures; 2,000 calls
//
// It runs itself for the memory, which only a new process shows:
//
//   extension-bench memory FOLDER     KiB that a first receipt takes, Foundation's share within
//   extension-bench own FOLDER        the same where Foundation has done its own work before
import Foundation
import ReceiptClient

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "memory": try await printGrowth(folder: arguments[1])
case "own":
  try await warmUpFoundation()
  try await printGrowth(folder: arguments[1])
default: try await printAll(calls: arguments.first.flatMap { Int($0) } ?? 2_000)
}

func printAll(calls: Int) async throws {
  for (waiting, calls) in [(500, calls), (2_000, max(calls / 10, 1))] {
    let folder = try Folder(waiting: waiting)
    let memory = try ["memory", "own"].map { try run([$0, folder.path]) }
    let times = try await storeTimes(calls, folder).sorted()
    print(
      """
      \(waiting) receipts wait\(waiting == 2_000 ? ", as many as may" : "")
        from the call until the receipts are on disk and the post begins, \(calls) calls
          median \(milliseconds(times[times.count / 2])), \
      99 % below \(milliseconds(times[times.count * 99 / 100])), \
      at most \(milliseconds(times[times.count - 1]))
        resident memory that the client, ten pushes and a post take
          \(memory[0]) KiB in a process that has done nothing before
          \(memory[1]) KiB where JSON, files and URLSession were in use: the library's own
      """)
  }
}

// MARK: Time

/// Seconds from each call until its post begins: the receipts are on disk by then.
func storeTimes(_ calls: Int, _ folder: Folder) async throws -> [Double] {
  let transport = Stopwatch()
  var environment = ClientEnvironment.system()
  environment.transport = transport
  environment.sendsAtOnce = false
  let client = ReceiptClient(configuration(folder.path), environment)
  var times: [Double] = []
  for number in 0..<calls {
    let push = client.payload(payload(number))
    let start = environment.monotonicSeconds()
    await client.receivedInExtension(push)
    times.append(transport.began - start)
  }
  return times
}

/// Notes when a post begins, and takes it: the queue stays as long as it was.
final class Stopwatch: Transport, @unchecked Sendable {
  // One post at a time.
  private(set) var began = 0.0

  func post(_: PostRequest) async throws -> PostResponse {
    began = ClientEnvironment.system().monotonicSeconds()
    return PostResponse(
      status: 200, body: Data(#"{"accepted":2,"duplicates":0,"rejected":[]}"#.utf8))
  }
}

// MARK: Memory

/// What an extension does, and how much larger the process is at most: the peak counts.
func printGrowth(folder: String) async throws {
  let before = resident()
  var environment = ClientEnvironment.system()
  environment.sendsAtOnce = false
  let client = ReceiptClient(configuration(folder), environment)
  for number in 0..<9 {
    client.receivedInForeground(client.payload(payload(number)))
  }
  await client.receivedInExtension(client.payload(payload(9)))
  print(peak() - before)
}

/// The work of Foundation's that the client has it do, without the client.
func warmUpFoundation() async throws {
  struct Line: Codable {
    var texts: [String: String] = ["eventId": "e"]
    var at: Int64 = 1_796_000_000_000
    var gates: [String: Int]?
  }
  let bytes = try JSONEncoder().encode((0..<20).map { _ in Line() })
  _ = try JSONDecoder().decode([Line].self, from: bytes)
  _ = try JSONSerialization.jsonObject(with: bytes)
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try bytes.write(to: folder.appendingPathComponent("file"))
  try FileManager.default.removeItem(at: folder)
  _ = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString")
  _ = Date().description
  // Nobody listens there.
  _ = try? await URLSessionTransport().post(
    PostRequest(
      url: closedPort, key: "none", body: bytes, isGzip: false, timeoutSeconds: 5))
}

/// KiB of this process in memory; from here on its peak is counted anew.
func resident() -> Int {
  try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  return status("VmRSS")
}

/// The most KiB since then.
func peak() -> Int { status("VmHWM") }

func status(_ name: String) -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
  return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
}

func run(_ arguments: [String]) throws -> String {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = arguments
  process.standardOutput = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
}

// MARK: What it is done with

/// A folder with receipts in its queue, gone afterwards.
final class Folder {
  let path: String

  init(waiting: Int) throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("extension-bench-\(UUID().uuidString)").path
    var environment = ClientEnvironment.system()
    environment.sendsAtOnce = false
    let client = ReceiptClient(configuration(path), environment)
    for number in 0..<waiting {
      client.receivedInForeground(client.payload(payload(number)), shows: false)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

var closedPort: URL { URL(string: "http://127.0.0.1:1/v1/receipts")! }

func configuration(_ folder: String) -> Configuration {
  Configuration(
    collector: URL(string: "http://127.0.0.1:1")!, key: "none", folder: URL(filePath: folder))
}

func payload(_ number: Int) -> [AnyHashable: Any] {
  [
    "aps": ["alert": ["title": "A letter", "body": "for you"], "mutable-content": 1],
    "gcm.message_id": "0:1624990404441963%e3a0a2d6\(number)", "sentAt": "2026-11-30T09:00:02Z",
    "targetType": "letter", "targetId": "42", "campaign": "autumn",
  ]
}

func milliseconds(_ seconds: Double) -> String {
  "\((seconds * 100_000).rounded() / 100) ms"
}
