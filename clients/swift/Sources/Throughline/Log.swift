private let firstCountMs = 10_000
private let maxCountMs = 640_000

/// A warning or error of one kind is one line, and after a while one with the count of the others, ever more seldom while
/// they go on. On any thread.
final class Log: Sendable {
  private struct Repeated {
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

  func warn(_ message: String) { write(.warn, message) }

  func error(_ message: String) { write(.error, message) }

  private func write(_ level: LogEntry.Level, _ message: String) {
    let kind = kindOf(message)
    let isNew = repeated.with { repeated in
      guard var known = repeated[kind] else {
        repeated[kind] = Repeated(message: message)
        return true
      }
      known.times += 1
      known.message = message
      repeated[kind] = known
      return false
    }
    guard isNew else { return }
    onLog(LogEntry(level: level, message: message))
    launch { await self.countRepeated(level, kind) }
  }

  private func countRepeated(_ level: LogEntry.Level, _ kind: String) async {
    var waitMs = firstCountMs
    while true {
      await sleep(waitMs)
      guard let (message, times) = takeRepeated(kind) else { return }
      onLog(LogEntry(level: level, message: "\(message) (\(times) more of this kind)"))
      waitMs = min(maxCountMs, waitMs * 2)
    }
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
