// The client as a program of the conformance kit: commands on standard input, answers on standard output.
import Foundation
import Throughline

/// One write for each line: the log is called on other threads.
@Sendable func say(_ line: Throughline.JsonObject) {
  guard let text = try? writeJson(.object(line)) else { return }
  try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
}

let directory = ProcessInfo.processInfo.environment["THROUGHLINE_STORAGE"] ?? "."
let phone = Phone(directory: URL(fileURLWithPath: directory))
let lines = AsyncStream<String> { continuation in
  // Reading blocks its thread.
  Thread.detachNewThread {
    while let line = readLine() { continuation.yield(line) }
    continuation.finish()
  }
}
for await line in lines {
  if let command = readObject(line) { phone.act(command) }
}
// The system ends the app, whatever it waits for.
exit(0)
