/// What the service stores as `sdkVersion`.
let layerVersion = "throughline-ios/0.1.0"
