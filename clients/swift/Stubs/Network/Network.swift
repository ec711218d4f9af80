// A stub of the part of Network that the layer uses, written from Apple's documents. The test of the layer changes the network.
import Dispatch

public struct NWPath: Sendable {
  public enum Status: Sendable {
    case satisfied, unsatisfied, requiresConnection
  }

  public let status: Status
}

public final class NWPathMonitor: @unchecked Sendable {
  /// The last one; Apple's class tells the network by itself.
  nonisolated(unsafe) private static var last: NWPathMonitor?

  @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
  private var queue: DispatchQueue?

  public init() { Self.last = self }

  public func start(queue: DispatchQueue) { self.queue = queue }

  public static func change(to status: NWPath.Status) {
    guard let last, let queue = last.queue else { return }
    queue.async { last.pathUpdateHandler?(NWPath(status: status)) }
  }
}
