// A stub of the part of Network that the layer uses, written from Apple's documents. It has types and no code.
import Dispatch

public struct NWPath: Sendable {
  public enum Status: Sendable {
    case satisfied, unsatisfied, requiresConnection
  }

  public let status: Status
}

public final class NWPathMonitor: @unchecked Sendable {
  public init() { stub() }
  @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { stub() }
    set { stub() }
  }
  public func start(queue: DispatchQueue) { stub() }
}

private func stub() -> Never { fatalError("A stub for the type check has no code") }
