import Testing

@testable import Throughline

let conversionSchema: JsonObject = [
  "windows": [
    [
      "fine": [
        ["from": 1, "to": 3, "eventName": "purchase", "minRevenue": nil, "lock": false],
        [
          "from": 10, "to": 20, "eventName": "big", "minRevenue": ["amount": "10.00", "currency": "EUR"], "lock": false,
        ],
        ["from": 60, "to": 63, "eventName": "vip", "minRevenue": nil, "lock": true],
      ],
      "coarse": ["low": nil, "medium": "sign_up", "high": "purchase"],
    ],
    [
      "fine": [
        ["from": 5, "to": 5, "eventName": "vip", "minRevenue": nil, "lock": true],
        ["from": 6, "to": 6, "eventName": "other", "minRevenue": nil, "lock": false],
      ],
      "coarse": ["low": nil, "medium": "purchase", "high": nil],
    ],
    ["fine": [], "coarse": ["low": nil, "medium": nil, "high": nil]],
  ]
]
private let dayMs = 86_400_000
private let startMs = 1_764_115_200_000

@Suite("Rules of conversion values")
struct ConversionRuleTests {
  /// A phone of a while after its first start.
  struct Scene {
    var state = ConversionState()
    var nowMs = startMs

    init(_ schema: JsonObject? = conversionSchema) {
      state.startedAt = nowMs
      state.schemaBody = schema
    }

    mutating func track(
      _ name: String, _ amount: String? = nil, _ currency: String = "EUR", transaction: String? = nil
    ) {
      let revenue = amount.map { Revenue(amount: $0, currency: currency, transactionId: transaction) }
      _ = state.count(name, revenue, at: nowMs)
    }

    /// As text: the value that Apple gets.
    mutating func set() -> String? {
      guard let next = state.next(at: nowMs) else { return nil }
      state.windows[next.window].set = next.value
      let coarse = next.value.coarse?.rawValue ?? "none"
      return "\(next.value.fine) \(coarse)\(next.value.lock ? " lock" : "")"
    }
  }

  @Test("begin with 0 and low, climb with the events of the schema, and never fall")
  func climb() {
    var scene = Scene()
    #expect(scene.set() == "0 low")
    scene.track("unknown")
    #expect(scene.set() == nil)
    scene.track("sign_up")
    #expect(scene.set() == "0 medium")
    for value in ["1 high", "2 high", "3 high", nil] {
      scene.track("purchase")
      #expect(scene.set() == value)
    }
    scene.track("sign_up")
    #expect(scene.set() == nil)
  }

  @Test("count revenue by its currency as exact decimals, less refunds")
  func revenue() {
    var scene = Scene()
    _ = scene.set()
    for amount in ["0.1", "0.2", "9.70", "-0.0001"] { scene.track("big", amount) }
    scene.track("big", "500", "USD")
    #expect(scene.set() == nil)
    scene.track("big", "0.0001")
    #expect(scene.set() == "14 low")
    scene.track("big", "-100")
    #expect(scene.set() == nil)
    for _ in 0..<2_000 { scene.track("big", "999999999999.9999") }
    #expect(scene.set() == "20 low")
  }

  @Test("are not raised by a refund, nor by a transaction that counted")
  func refunds() {
    var scene = Scene()
    scene.track("purchase", "-5")
    #expect(scene.set() == "0 low")
    scene.track("purchase", "5", transaction: "t0")
    #expect(scene.set() == "1 high")
    for _ in 0..<2 { scene.track("purchase", "5", transaction: "t0") }
    #expect(scene.set() == nil)
    for index in 1...200 { scene.track("big", "0", transaction: "t\(index)") }
    #expect(scene.state.transactions.count == 100)
    let back = ConversionState(json: scene.state.toJson())
    #expect(back?.transactions == scene.state.transactions)
    scene.track("purchase", "5", transaction: "t200")
    #expect(scene.set() == nil)
  }

  @Test("begin at the first time that a clock can tell")
  func plausible() {
    var state = ConversionState()
    let isStarted = [1_704_067_199_999, startMs, startMs + 1].map { state.start(at: $0) }
    #expect(isStarted == [false, true, false])
    #expect(ConversionState().window(at: 0) == 0)
    #expect(state.startedAt == startMs)
  }

  @Test("survive what no client ever stored")
  func damaged() throws {
    let huge = "9223372036854775807"
    let text =
      "{\"startedAt\":-\(huge),\"readAt\":\(huge),\"windows\":[{\"counts\":{\"purchase\":{\"times\":\(huge),"
      + "\"sums\":{\"EUR\":\(huge)}}},\"set\":{\"fine\":\(huge)},\"failures\":\(huge)},{},{}]}"
    var scene = Scene()
    scene.state = try #require(ConversionState(json: text))
    #expect(scene.state.startedAt == nil && scene.state.readAt == nil)
    scene.state.schemaBody = conversionSchema
    scene.track("purchase", "999999999999.9999")
    #expect(scene.set() == "63 high")
  }

  @Test("stop in a window with lock")
  func lock() {
    var scene = Scene()
    scene.track("vip")
    #expect(scene.set() == "60 low lock")
    scene.track("vip")
    scene.track("purchase")
    #expect(scene.set() == nil)
  }

  @Test("have the fine value of the first window in later ones, and come only if something is reached")
  func laterWindows() {
    var scene = Scene()
    scene.track("purchase")
    #expect(scene.set() == "1 high")
    scene.nowMs += 2 * dayMs - 1
    scene.track("purchase")
    #expect(scene.set() == "2 high")
    scene.nowMs += 1
    #expect(scene.set() == nil)
    scene.track("other")
    #expect(scene.set() == nil)
    scene.track("purchase")
    #expect(scene.set() == "2 medium")
    scene.track("vip")
    #expect(scene.set() == "2 medium lock")
    scene.nowMs = startMs + 35 * dayMs
    scene.track("purchase")
    #expect(scene.set() == nil)
    #expect(scene.state.window(at: scene.nowMs) == nil)
    // A clock that was set back finds what was counted.
    scene.nowMs = startMs - 5 * dayMs
    scene.track("purchase")
    #expect(scene.set() == "3 high")
  }

  @Test("come once at least in a later window if the schema came late")
  func late() {
    var scene = Scene(nil)
    scene.nowMs += 8 * dayMs
    #expect(scene.set() == nil)
    scene.state.schemaBody = conversionSchema
    #expect(scene.set() == "0 low")
    #expect(scene.set() == nil)
  }

  @Test("count at most 100 names before the schema is known, and then its names only")
  func names() {
    var scene = Scene(nil)
    for index in 0..<500 { scene.track("event \(index)") }
    scene.track("event 0")
    #expect(scene.state.windows[0].counts.count == 100)
    #expect(scene.state.windows[0].counts["event 0"]?.times == 2)
    scene.state.schemaBody = conversionSchema
    scene.track("new")
    scene.track("purchase")
    #expect(scene.state.windows[0].counts.count == 101)
  }

  @Test("are never set by a schema without names")
  func empty() {
    let none: JsonValue = ["fine": [], "coarse": ["low": nil, "medium": nil, "high": nil]]
    var scene = Scene(["windows": [none, none, none]])
    scene.track("purchase")
    #expect(scene.set() == nil)
  }

  @Test("are kept as text, with the schema and what was set")
  func kept() throws {
    var scene = Scene()
    scene.track("big", "12.3456")
    _ = scene.set()
    scene.state.etag = "\"1\""
    scene.state.readAt = 5
    let back = try #require(ConversionState(json: scene.state.toJson()))
    #expect(back.toJson() == scene.state.toJson())
    #expect(back.schema?.names == ["purchase", "big", "vip", "sign_up", "other"])
    #expect(ConversionState(json: "{}") == nil)
    #expect(ConversionState(json: "damaged") == nil)
  }

  @Test("are not taken from an answer that is no schema")
  func noSchema() {
    #expect(ConversionSchema([:]) == nil)
    #expect(ConversionSchema(["windows": []]) == nil)
    #expect(ConversionSchema(["windows": [[:], [:], [:]]]) == nil)
    func schema(_ fine: JsonValue, _ coarse: JsonValue = [:]) -> ConversionSchema? {
      let none: JsonValue = ["fine": [], "coarse": [:]]
      return ConversionSchema(["windows": [["fine": fine, "coarse": coarse], none, none]])
    }
    let good: JsonObject = ["from": 0, "to": 63, "eventName": "a", "minRevenue": nil, "lock": false]
    #expect(schema([.object(good)]) != nil)
    #expect(schema(.array(Array(repeating: .object(good), count: 65))) == nil)
    #expect(schema([], ["low": 1]) == nil)
    let wrong: [JsonObject] = [
      ["from": "1"], ["from": -1], ["from": 0.5], ["to": 64], ["from": 9, "to": 8], ["to": .integer(.max)],
      ["eventName": 1], ["lock": nil], ["lock": 1], ["minRevenue": "1"], ["minRevenue": [:]],
      ["minRevenue": ["amount": 1, "currency": "EUR"]], ["minRevenue": ["amount": "1e3", "currency": "EUR"]],
    ]
    for fields in wrong { #expect(schema([.object(good.merging(fields) { $1 })]) == nil, "\(fields)") }
  }
}
