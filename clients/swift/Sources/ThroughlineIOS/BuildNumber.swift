/// Whether a build (`CFBundleVersion`, one to three integers between points) comes before another.
func isBuild(_ build: String, before other: String) -> Bool? {
  guard let left = numbers(of: build), let right = numbers(of: other) else { return nil }
  return left.lexicographicallyPrecedes(right)
}

private func numbers(of build: String) -> [Int]? {
  let parts = build.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
  guard (1...3).contains(parts.count), !parts.contains(nil) else { return nil }
  let known = parts.compactMap { $0 }
  return known + Array(repeating: 0, count: 3 - known.count)
}
