require "json"

package = JSON.parse(File.read(File.join(__dir__, "package.json")))

Pod::Spec.new do |s|
  s.name = "ThroughlineReactNativeAds"
  s.version = package["version"]
  s.summary = package["description"]
  s.homepage = "https://github.com/throughline/throughline"
  s.license = package["license"]
  s.authors = "Throughline"
  s.platforms = { :ios => min_ios_version_supported }
  s.source = { :git => "https://github.com/throughline/throughline.git", :tag => "v#{s.version}" }
  s.source_files = "ios/**/*.{mm,swift}"
  s.swift_version = "5.9"
  s.frameworks = "AdServices", "StoreKit"
  s.weak_frameworks = "AdAttributionKit"
  s.pod_target_xcconfig = { "DEFINES_MODULE" => "YES" }
  install_modules_dependencies(s)
end
