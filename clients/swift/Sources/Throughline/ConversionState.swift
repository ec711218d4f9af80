let conversionKey = "conversion"

/// The ends of Apple's windows after the first start.
private let windowEndsMs = [2, 7, 35].map { $0 * 86_400_000 }

/// Before the schema is known.
private let maxNames = 100

/// Those that are known to have counted.
private let maxTransactions = 100

/// The start of 2024: the clock of a phone that says less was not set yet.
private let plausibleMs = 1_704_067_200_000
private let latestMs = 253_402_300_799_999

/// More times reach no other value.
private let maxTimes = 1_000_000

/// What is kept for Apple's conversion value, each window apart.
struct ConversionState: Sendable {
  struct Count: Sendable {
    var times = 0

    /// In ten-thousandths, by currency.
    var sums: [String: Int] = [:]
  }

  struct Window: Sendable {
    /// By the name of the event.
    var counts: [String: Count] = [:]

    /// What Apple was told, whether or not it took it: it may have.
    var set: ConversionValue?

    /// How often Apple did not take `set`.
    var failures = 0
  }

  /// The first start, in milliseconds since 1970; nil before it.
  var startedAt: Int?

  /// The answer of the service; nil before it.
  var schemaBody: JsonObject? {
    didSet { schema = schemaBody.flatMap(ConversionSchema.init) }
  }
  private(set) var schema: ConversionSchema?
  var etag: String?

  /// When the service answered, in milliseconds since 1970.
  var readAt: Int?
  var windows = [Window(), Window(), Window()]

  /// IDs of the last transactions that counted.
  private(set) var transactions: [String] = []

  /// False if it was known, or cannot be known yet.
  mutating func start(at nowMs: Int) -> Bool {
    if startedAt != nil || nowMs < plausibleMs { return false }
    startedAt = nowMs
    return true
  }

  /// Nil after the last one. A clock set back before the first start is in the first one.
  func window(at nowMs: Int) -> Int? {
    let ageMs = startedAt.map { nowMs - $0 } ?? 0
    return windowEndsMs.firstIndex { ageMs < $0 }
  }

  /// False for an event that does not count.
  mutating func count(_ name: String, _ revenue: Revenue?, at nowMs: Int) -> Bool {
    guard let at = window(at: nowMs) else { return false }
    if let schema {
      if !schema.names.contains(name) { return false }
    } else if windows[at].counts[name] == nil, windows[at].counts.count >= maxNames {
      return false
    }
    if let transaction = revenue?.transactionId {
      if transactions.contains(transaction) { return false }
      transactions = transactions.suffix(maxTransactions - 1) + [transaction]
    }
    var count = windows[at].counts[name] ?? Count()
    // A refund undoes money, not events.
    if revenue?.amount.hasPrefix("-") != true { count.times = min(count.times + 1, maxTimes) }
    if let revenue, let amount = tenThousandths(revenue.amount) {
      let (sum, isTooLarge) = count.sums[revenue.currency, default: 0].addingReportingOverflow(amount)
      if !isTooLarge { count.sums[revenue.currency] = sum }
    }
    windows[at].counts[name] = count
    return true
  }

  mutating func forgetCounts() {
    for at in windows.indices { windows[at].counts = [:] }
    transactions = []
  }

  /// The port gets the value now.
  mutating func noteHanded(_ value: ConversionValue, _ at: Int) {
    windows[at].failures = windows[at].set == value ? windows[at].failures + 1 : 1
    windows[at].set = value
  }

  /// The value that Apple should have now, and its window; nil if it has it. What Apple did not take is tried once more.
  func next(at nowMs: Int) -> (window: Int, value: ConversionValue)? {
    guard let schema, !schema.names.isEmpty, let at = window(at: nowMs) else { return nil }
    let set = windows[at].set
    let isToRepeat = windows[at].failures == 1
    if let set, set.lock { return isToRepeat ? (at, set) : nil }
    let reached = windows[at].reached(schema.windows[at])
    let isFirst = windows.allSatisfy { $0.set == nil }
    // Later windows have no initial value: it would report an event that never was.
    if at > 0, !isFirst, reached.coarse == nil, !reached.lock { return nil }
    let value = ConversionValue(
      // In later windows the timer of an older kind of ad may still run, which reads the fine value.
      fine: at == 0 ? max(set?.fine ?? 0, reached.fine) : windows[0].set?.fine ?? 0,
      coarse: max(set?.coarse ?? .low, reached.coarse ?? .low),
      lock: reached.lock)
    return value == set && !isToRepeat ? nil : (at, value)
  }
}

extension ConversionState.Window {
  fileprivate func reached(
    _ schema: ConversionSchema.Window
  ) -> (fine: Int, coarse: ConversionValue.Coarse?, lock: Bool) {
    let ranges = schema.fine.compactMap { range -> (value: Int, lock: Bool)? in
      guard let count = counts[range.eventName], count.times > 0 else { return nil }
      if let least = range.minRevenue, count.sums[least.currency, default: 0] < least.amount { return nil }
      return (min(range.to, range.from + count.times - 1), range.lock)
    }
    let coarse = schema.coarse.filter { counts[$0.value, default: .init()].times > 0 }.keys.max()
    return (ranges.map(\.value).max() ?? 0, coarse, ranges.contains(where: \.lock))
  }
}

extension ConversionState {
  func toJson() -> String {
    var fields: JsonObject = ["windows": .array(windows.map(\.json))]
    fields.add("startedAt", startedAt)
    fields["schema"] = schemaBody.map { .object($0) }
    fields.add("etag", etag)
    fields.add("readAt", readAt)
    fields["transactions"] = .array(transactions.map { .string($0) })
    // No number here is infinite.
    return (try? writeJson(.object(fields))) ?? "{}"
  }

  /// Nil for a damaged value.
  init?(json text: String) {
    guard let fields = readObject(text), fields.list("windows").count == 3 else { return nil }
    startedAt = fields["startedAt"]?.integer.flatMap { (plausibleMs...latestMs).contains($0) ? $0 : nil }
    schema = fields["schema"]?.object.flatMap(ConversionSchema.init)
    schemaBody = schema == nil ? nil : fields["schema"]?.object
    etag = fields.text("etag")
    readAt = fields["readAt"]?.integer.flatMap { (0...latestMs).contains($0) ? $0 : nil }
    transactions = fields.list("transactions").compactMap(\.string).suffix(maxTransactions)
    windows = fields.list("windows").map { Window(json: $0.object ?? [:]) }
  }
}

extension ConversionState.Window {
  fileprivate var json: JsonValue {
    var fields: JsonObject = [
      "counts": .object(
        counts.mapValues { ["times": .integer($0.times), "sums": .object($0.sums.mapValues { .integer($0) })] })
    ]
    if let set {
      fields["set"] = ["fine": .integer(set.fine), "coarse": JsonValue(set.coarse?.rawValue), "lock": .bool(set.lock)]
    }
    if failures > 0 { fields["failures"] = .integer(failures) }
    return .object(fields)
  }

  fileprivate init(json fields: JsonObject) {
    for (name, value) in fields["counts"]?.object ?? [:] {
      let sums = value.object?["sums"]?.object?.compactMapValues(\.integer)
      counts[name] = ConversionState.Count(
        times: min(value.object?.count("times") ?? 0, maxTimes), sums: sums ?? [:])
    }
    set = fields["set"]?.object.map { set in
      ConversionValue(
        fine: min(set.count("fine"), highestFine), coarse: set.text("coarse").flatMap(ConversionValue.Coarse.init),
        lock: set.isTrue("lock"))
    }
    failures = min(fields.count("failures"), 2)
  }
}
