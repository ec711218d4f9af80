extension Throughline {
  /// For Apple's SKAdNetwork and AdAttributionKit, by the app's schema of conversion values.
  public struct ConversionValue: Sendable, Hashable {
    /// What Apple tells where few people installed.
    public enum Coarse: String, Sendable, Comparable, CaseIterable {
      case low, medium, high

      /// From low to high.
      public static func < (one: Self, other: Self) -> Bool {
        (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
      }
    }

    /// From 0 to 63; Apple reads it in the first 48 hours only.
    public var fine: Int

    /// Nil where the system has none.
    public var coarse: Coarse?

    /// Whether Apple shall send its postback of this window now; no later value of the window counts.
    public var lock: Bool

    /// Makes a value.
    public init(fine: Int, coarse: Coarse?, lock: Bool) {
      self.fine = fine
      self.coarse = coarse
      self.lock = lock
    }
  }
}

/// Of Apple's six bits.
let highestFine = 63

/// What the answer of `GET /v1/sdk/conversion-schema` says.
struct ConversionSchema: Sendable {
  struct Fine: Sendable {
    let from: Int
    let to: Int
    let eventName: String

    /// In ten-thousandths.
    let minRevenue: (amount: Int, currency: String)?
    let lock: Bool
  }

  struct Window: Sendable {
    let fine: [Fine]
    let coarse: [ConversionValue.Coarse: String]
  }

  let windows: [Window]

  /// The events that count.
  let names: Set<String>

  /// Nil for an answer that only looks like one.
  init?(_ body: JsonObject) {
    guard let list = body["windows"]?.array, list.count == 3 else { return nil }
    windows = list.compactMap(\.object).compactMap(windowOf)
    if windows.count != 3 { return nil }
    names = Set(windows.flatMap { $0.fine.map(\.eventName) + $0.coarse.values })
  }
}

private func windowOf(_ fields: JsonObject) -> ConversionSchema.Window? {
  guard let list = fields["fine"]?.array, list.count <= highestFine + 1, let coarse = fields["coarse"]?.object
  else { return nil }
  let fine = list.compactMap(\.object).compactMap(fineOf)
  if fine.count != list.count { return nil }
  let levels = ConversionValue.Coarse.allCases
  let isText = levels.allSatisfy { coarse[$0.rawValue].map { $0 == .null || $0.string != nil } ?? true }
  if !isText { return nil }
  let named = levels.compactMap { level in coarse.text(level.rawValue).map { (level, $0) } }
  return ConversionSchema.Window(fine: fine, coarse: Dictionary(uniqueKeysWithValues: named))
}

private func fineOf(_ fields: JsonObject) -> ConversionSchema.Fine? {
  guard let from = fields["from"]?.integer, let to = fields["to"]?.integer, let name = fields.text("eventName"),
    let lock = fields["lock"]?.bool, 0 <= from, from <= to, to <= highestFine
  else { return nil }
  var minRevenue: (amount: Int, currency: String)?
  if let least = fields["minRevenue"], least != .null {
    guard let least = least.object, let amount = least.text("amount").flatMap(tenThousandths),
      let currency = least.text("currency")
    else { return nil }
    minRevenue = (amount, currency)
  }
  return ConversionSchema.Fine(
    from: from, to: to, eventName: name, minRevenue: minRevenue, lock: lock)
}
