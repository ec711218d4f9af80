/// Tells when the phone is in reach of a network again.
struct Connectivity {
  private var wasConnected = true

  /// - Returns: whether what waits is to be sent now.
  mutating func isBack(isConnected: Bool) -> Bool {
    defer { wasConnected = isConnected }
    return isConnected && !wasConnected
  }
}
