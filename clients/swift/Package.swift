// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Throughline",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [.library(name: "Throughline", targets: ["Throughline"])],
  targets: [
    .target(name: "Throughline"),
    // The program of the conformance kit.
    .executableTarget(name: "Kit", dependencies: ["Throughline"]),
    .testTarget(name: "ThroughlineTests", dependencies: ["Throughline"]),
  ],
  swiftLanguageModes: [.v6]
)
