import Foundation
import Throughline

struct Fault: Error, CustomStringConvertible {
  let description: String
}

/// A storage that fails as the scenario says. Functions that have done all when they return are the usual case here.
actor FaultyStorage: Throughline.Storage {
  private let storage: Throughline.FileStorage
  private var fault: String?

  init(_ storage: Throughline.FileStorage) { self.storage = storage }

  nonisolated var place: String { storage.place }

  func set(fault: String?) { self.fault = fault }

  func get(_ key: String) async throws -> String? {
    switch fault {
    case "hangs":
      while true { try await Task.sleep(nanoseconds: 1_000_000_000_000) }
    case "throws once":
      fault = nil
      throw Fault(description: "busy")
    default: return try await storage.get(key)
    }
  }

  func set(_ key: String, _ value: String) async throws { try await writable().set(key, value) }

  func remove(_ key: String) async throws { try await writable().remove(key) }

  private func writable() throws -> Throughline.FileStorage {
    if fault == "full" { throw Fault(description: "full") }
    return storage
  }
}
