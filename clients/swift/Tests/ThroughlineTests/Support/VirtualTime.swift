import Foundation

@testable import Throughline

/// Time that passes when a test says so.
final class VirtualTime: Sendable {
  private struct Sleeper {
    let id: Int
    let dueMs: Int
    let wake: CheckedContinuation<Void, Never>
  }

  private struct State {
    var uptimeMs = 0
    var clockMs = 1_764_115_200_000
    var next = 0
    var sleepers: [Sleeper] = []
  }

  private let state = Locked(State())

  var uptimeMs: Int { state.with(\.uptimeMs) }
  var clockMs: Int { state.with(\.clockMs) }

  /// The clock of the phone is set; the time goes on.
  func setClock(aheadMs: Int) { state.with { $0.clockMs += aheadMs } }

  func sleep(_ ms: Int) async {
    let id = state.with { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        let isOver = state.with { state in
          if ms <= 0 || Task.isCancelled { return true }
          state.sleepers.append(Sleeper(id: id, dueMs: state.uptimeMs + ms, wake: wake))
          return false
        }
        if isOver { wake.resume() }
      }
    } onCancel: {
      let sleeper = state.with { state in
        state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.wake.resume()
    }
  }

  /// Wakes who is due on the way, one after the other.
  func pass(_ ms: Int) async {
    let endMs = uptimeMs + ms
    await settle()
    while let wake = wakeNext(until: endMs) {
      wake.resume()
      await settle()
    }
    go(to: endMs)
  }

  private func wakeNext(until endMs: Int) -> CheckedContinuation<Void, Never>? {
    let due = state.with { state -> Sleeper? in
      let next = state.sleepers.min { $0.dueMs < $1.dueMs }
      guard let next, next.dueMs <= endMs else { return nil }
      state.sleepers.removeAll { $0.id == next.id }
      return next
    }
    if let due { go(to: due.dueMs) }
    return due?.wake
  }

  private func go(to uptimeMs: Int) {
    state.with { state in
      state.clockMs += max(0, uptimeMs - state.uptimeMs)
      state.uptimeMs = max(state.uptimeMs, uptimeMs)
    }
  }
}

/// Lets everything run that does not wait for time.
func settle() async {
  for _ in 0..<12 {
    await CoreActor.run {}
    // As what `limit` runs: time must not pass before it has begun.
    await Task.detached(priority: .userInitiated) {}.value
    await MainActor.run {}
    try? await Task.sleep(nanoseconds: 1_000_000)
  }
}

/// Waits until something is so; false after ten seconds.
func eventually(_ isSo: @Sendable () async -> Bool) async -> Bool {
  for _ in 0..<1_000 {
    if await isSo() { return true }
    try? await Task.sleep(nanoseconds: 10_000_000)
  }
  return false
}

extension CoreActor {
  static func run<Value: Sendable>(_ body: @CoreActor @Sendable () -> Value) async -> Value { await body() }
}
