// Stands for an app or its extension in the tests that kill one: `receipt-writer FOLDER NAME COUNT LIMIT`
// prints the installation's id, then appends receipts through the real client and prints the event's
// id of each once the call has returned.
import Foundation
import ReceiptClient

let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[3]), let limit = Int(arguments[4])
else {
  fatalError("usage: receipt-writer FOLDER NAME COUNT LIMIT")
}

/// One call, so that a line is whole or not there.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  guard write(1, bytes, bytes.count) == bytes.count else { exit(1) }
}

var configuration = Configuration(
  collector: URL(string: "http://127.0.0.1:9")!, key: "none",
  folder: URL(filePath: arguments[1]))
configuration.log = { line in FileHandle.standardError.write(Data("\(line)\n".utf8)) }
configuration.queue = QueueLimits(receipts: limit)
var environment = ClientEnvironment.system()
environment.sendsAtOnce = false
let client = ReceiptClient(configuration, environment)
say("installation \(client.installationId)")
for number in 0..<count {
  let eventId = "\(arguments[2])-\(number)"
  client.receivedInForeground(PushPayload(["eventId": eventId]), shows: false)
  say(eventId)
}
