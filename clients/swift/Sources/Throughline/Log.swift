import Foundation

private let firstCountMs = 10_000
private let maxCountMs = 640_000

/// Kinds that differ by the name of an event only.
private let maxNamedKinds = 50

/// A warning or error of one kind is one line, and after a while one with the count of the others, ever more seldom while
/// they go on. On any thread.
final class Log: Sendable {
  private struct Repeated {
    let level: LogEntry.Level
    var message: String
    var times = 0
  }

  private let onLog: @Sendable (LogEntry) -> Void
  private let isDebug: Bool
  private let sleep: Sleep
  private let repeated = Locked<[String: Repeated]>([:])

  init(_ config: Config, _ sleep: @escaping Sleep) {
    onLog = config.onLog
    isDebug = config.debug
    self.sleep = sleep
  }

  func debug(_ message: @autoclosure () -> String) {
    if isDebug { onLog(LogEntry(level: .debug, message: message())) }
  }

  /// Messages of different names are of different kinds.
  func warn(_ message: String, of name: String? = nil) { write(.warn, message, name) }

  /// Messages of different names are of different kinds.
  func error(_ message: String, of name: String? = nil) { write(.error, message, name) }

  /// Tells what was not told yet.
  func end() {
    let left = repeated.with { repeated in
      defer { for kind in repeated.keys { repeated[kind]?.times = 0 } }
      return repeated.values.filter { $0.times > 0 }
    }
    for last in left { write(last.level, last.message, times: last.times) }
  }

  private func write(_ level: LogEntry.Level, _ text: String, _ name: String?) {
    let message = withoutQueries(text)
    let new: String? = repeated.with { repeated in
      var kind = kindOf(message)
      if let name = name.map(kindOf), repeated[kind + name] != nil || repeated.count < maxNamedKinds { kind += name }
      guard repeated[kind] == nil else {
        repeated[kind]?.times += 1
        repeated[kind]?.message = message
        return nil
      }
      repeated[kind] = Repeated(level: level, message: message)
      return kind
    }
    guard let kind = new else { return }
    onLog(LogEntry(level: level, message: message))
    launch { await self.countRepeated(level, kind) }
  }

  private func countRepeated(_ level: LogEntry.Level, _ kind: String) async {
    var waitMs = firstCountMs
    while true {
      await sleep(waitMs)
      guard let (message, times) = takeRepeated(kind) else { return }
      write(level, message, times: times)
      waitMs = min(maxCountMs, waitMs * 2)
    }
  }

  private func write(_ level: LogEntry.Level, _ message: String, times: Int) {
    onLog(LogEntry(level: level, message: "\(message) (\(times) more of this kind)"))
  }

  /// The last message and how many there were; nil if there was none, and the next one is a line again.
  private func takeRepeated(_ kind: String) -> (String, Int)? {
    repeated.with { repeated in
      guard let last = repeated[kind], last.times > 0 else {
        repeated[kind] = nil
        return nil
      }
      repeated[kind]?.times = 0
      return (last.message, last.times)
    }
  }
}

/// The message with its URLs up to their query, which may hold a secret.
func withoutQueries(_ message: String) -> String {
  let words = message.split(separator: " ", omittingEmptySubsequences: false).map { word -> Substring in
    guard let scheme = word.range(of: "://"),
      let end = word[scheme.upperBound...].firstIndex(where: { $0 == "?" || $0 == "#" })
    else { return word }
    return word[..<end] + (word.last.map { $0 == "”" || $0 == ":" ? String($0) : "" } ?? "")
  }
  return words.joined(separator: " ")
}

/// The message without its numbers and quotations.
private func kindOf(_ message: String) -> String {
  var kind = String.UnicodeScalarView()
  var isQuoted = false
  for scalar in message.unicodeScalars {
    if scalar == "“" { isQuoted = true }
    let isNumber = ("0"..."9").contains(scalar) || scalar == "." || scalar == ","
    if !isQuoted, !isNumber { kind.append(scalar) }
    if scalar == "”" { isQuoted = false }
  }
  return String(kind)
}
