// swift-tools-version: 5.9
import PackageDescription

// `ios/Clients` has the sources of the Swift client: the package brings its own copy, as that one is in no repository of its
// own.
let package = Package(
  name: "ThroughlineCapacitor",
  platforms: [.iOS(.v15)],
  products: [.library(name: "ThroughlineCapacitor", targets: ["ThroughlinePlugin"])],
  dependencies: [
    .package(url: "https://github.com/ionic-team/capacitor-swift-pm.git", "7.0.0"..<"9.0.0")
  ],
  targets: [
    .target(name: "Throughline", path: "ios/Clients/Throughline"),
    .target(
      name: "ThroughlineIOS", dependencies: ["Throughline"], path: "ios/Clients/ThroughlineIOS",
      resources: [.copy("PrivacyInfo.xcprivacy")]),
    .target(
      name: "ThroughlinePlugin",
      dependencies: [
        "ThroughlineIOS",
        .product(name: "Capacitor", package: "capacitor-swift-pm"),
        .product(name: "Cordova", package: "capacitor-swift-pm"),
      ],
      path: "ios/Sources/ThroughlinePlugin"),
  ]
)
