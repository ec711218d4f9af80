import Dispatch
import Foundation

extension Throughline {
  /// One file for each key, written under another name and renamed: a kill leaves the old value or the new one.
  public final class FileStorage: Storage {
    private let directory: URL

    /// A slow write goes on after the client gave it up; later ones must not mix with it, nor come before it. Files also
    /// block their thread, which those of `async` functions must not.
    private let queue = DispatchQueue(label: "dev.throughline.storage")

    /// Makes the directory at the first write.
    public init(directory: URL) { self.directory = directory.standardizedFileURL }

    /// The path of the directory.
    public var place: String { directory.path }

    /// The text of a file; nil if there is none.
    public func get(_ key: String) async throws -> String? {
      try await run { file in
        do {
          return String(decoding: try Data(contentsOf: file(key)), as: UTF8.self)
        } catch CocoaError.fileReadNoSuchFile {
          return nil
        }
      }
    }

    /// Writes a file.
    public func set(_ key: String, _ value: String) async throws {
      try await run { [directory] file in
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let written = file("\(key).new")
        try Data(value.utf8).write(to: written)
        let handle = try FileHandle(forWritingTo: written)
        try handle.synchronize()
        try handle.close()
        if rename(written.path, file(key).path) != 0 {
          throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file(key).path])
        }
      }
    }

    /// Removes a file.
    public func remove(_ key: String) async throws {
      try await run { file in
        do {
          try FileManager.default.removeItem(at: file(key))
        } catch CocoaError.fileNoSuchFile {}
      }
    }

    private func run<Value: Sendable>(
      _ work: @escaping @Sendable (_ file: (String) -> URL) throws -> Value
    ) async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [directory] in
          continuation.resume(with: Result { try work { directory.appendingPathComponent($0) } })
        }
      }
    }
  }
}

/// Forgets everything when the app ends.
final class MemoryStorage: Storage {
  let place = UUID().uuidString
  private let values = Locked<[String: String]>([:])

  func get(_ key: String) async -> String? { values.with { $0[key] } }

  func set(_ key: String, _ value: String) async { values.with { $0[key] = value } }

  func remove(_ key: String) async { values.with { _ = $0.removeValue(forKey: key) } }
}
