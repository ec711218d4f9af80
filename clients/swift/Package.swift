// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Throughline",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [
    .library(name: "Throughline", targets: ["Throughline"]),
    .library(name: "ThroughlineIOS", targets: ["ThroughlineIOS"]),
  ],
  targets: [
    .target(name: "Throughline"),
    // Everything for iOS but its rules is left out elsewhere.
    .target(
      name: "ThroughlineIOS", dependencies: ["Throughline"], resources: [.copy("PrivacyInfo.xcprivacy")]),
    // The program of the conformance kit.
    .executableTarget(name: "Kit", dependencies: ["Throughline"]),
    .testTarget(name: "ThroughlineTests", dependencies: ["Throughline"]),
    .testTarget(name: "ThroughlineIOSTests", dependencies: ["ThroughlineIOS"]),
  ],
  swiftLanguageModes: [.v6]
)
