/// What the person agreed to.
public enum Consent: String, Sendable {
  /// Device data is sent and may be matched.
  case granted

  /// Only the platform and a click ID or the store's referrer are sent, and nothing else is matched.
  case deterministicOnly = "deterministic-only"

  /// Links are resolved, and nothing is recorded.
  case denied

  /// Nothing is sent until the person has answered.
  case pending
}
