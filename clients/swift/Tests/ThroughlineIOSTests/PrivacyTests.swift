import Foundation
import Testing

/// The package's folder.
private let package = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Apple's functions that need a reason, by its page “Describing use of required reason API”.
private let needReason = [
  #"\.(creation|modification|fileModification|contentModification)Date(Key)?\b"#,
  #"\b(f|l)?stat(at|fs|vfs)?\("#, #"\bf?getattrlist(bulk|at)?\("#,
  #"processInfo\.systemUptime\b"#, #"\bmach_absolute_time\b"#,
  #"\bvolume(Available|Total)Capacity"#, #"\bsystem(Free)?Size\b"#,
  #"\bactiveInputModes\b"#, #"\bUserDefaults\b"#,
]

@Suite("Privacy manifest")
struct PrivacyTests {
  @Test("No code of the package calls a function that needs a reason, since the manifest names none")
  func reasons() throws {
    let files = try #require(
      FileManager.default.enumerator(at: package.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
    )
    var checked = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let code = try String(contentsOf: file, encoding: .utf8)
      for pattern in needReason {
        let found = code.range(of: pattern, options: .regularExpression).map { code[$0] }
        #expect(found == nil, "\(file.lastPathComponent)")
      }
      checked += 1
    }
    #expect(checked > 10)
  }

  @Test("Only the call that the app makes itself reads the clipboard")
  func clipboard() throws {
    let sources = package.appendingPathComponent("Sources/ThroughlineIOS")
    let readers = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { name in
      let code = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      return code.components(separatedBy: "UIPasteboard").count > 1
    }
    #expect(readers == ["PasteLink.swift"])
  }

  @Test("The manifest says no tracking, and gives each type of data a purpose")
  func manifest() throws {
    let file = package.appendingPathComponent("Sources/ThroughlineIOS/PrivacyInfo.xcprivacy")
    let list = try PropertyListSerialization.propertyList(from: try Data(contentsOf: file), format: nil)
    let manifest = try #require(list as? [String: Any])
    #expect(
      Set(manifest.keys) == [
        "NSPrivacyTracking", "NSPrivacyTrackingDomains", "NSPrivacyAccessedAPITypes", "NSPrivacyCollectedDataTypes",
      ])
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
    #expect((manifest["NSPrivacyAccessedAPITypes"] as? [Any])?.isEmpty == true)
    let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    #expect(types.count == 7)
    for type in types {
      #expect((type["NSPrivacyCollectedDataType"] as? String)?.hasPrefix("NSPrivacyCollectedDataType") == true)
      #expect(type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false)
      #expect((type["NSPrivacyCollectedDataTypePurposes"] as? [String])?.isEmpty == false)
    }
  }
}
