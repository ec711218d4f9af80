#if os(iOS) || THROUGHLINE_STUBS
  import Foundation
  import Throughline
  import UIKit

  /// Files in Application Support that no backup takes to another phone, and that can be read before the first unlock, when
  /// the system may already start an app.
  struct ApplicationSupportStorage: Throughline.Storage {
    private let directory: URL
    private let files: Throughline.FileStorage

    init() {
      let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      directory = folders[0].appendingPathComponent("dev.throughline", isDirectory: true)
      files = Throughline.FileStorage(directory: directory)
    }

    var place: String { files.place }

    func get(_ key: String) async throws -> String? { try await files.get(key) }

    func set(_ key: String, _ value: String) async throws {
      try prepare()
      try await files.set(key, value)
    }

    func remove(_ key: String) async throws { try await files.remove(key) }

    /// New files take over the protection of their folder.
    private func prepare() throws {
      let manager = FileManager.default
      try manager.createDirectory(at: directory, withIntermediateDirectories: true)
      try manager.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: directory.path)
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      var folder = directory
      try folder.setResourceValues(values)
    }
  }
#endif
