extension Throughline {
  /// A JSON object.
  public typealias JsonObject = [String: JsonValue]

  /// A JSON value. Literals make one: `["sizes": [42, 43], "isGift": true]`; for variables there is `init(any:)`.
  public enum JsonValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JsonValue])
    case object(JsonObject)
  }
}

extension Throughline.JsonValue {
  /// The text; nil for another value.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number; nil for another value.
  public var integer: Int? {
    switch self {
    case .integer(let number): number
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number; nil for another value.
  public var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// The Boolean; nil for another value.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The list; nil for another value.
  public var array: [Self]? {
    if case .array(let items) = self { items } else { nil }
  }

  /// The object; nil for another value.
  public var object: [String: Self]? {
    if case .object(let fields) = self { fields } else { nil }
  }

  /// Null for nil.
  init(_ text: String?) { self = text.map { .string($0) } ?? .null }
}

extension Throughline.JsonValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(value) }

  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// A Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Null.
  public init(nilLiteral: ()) { self = .null }

  /// A list.
  public init(arrayLiteral elements: Self...) { self = .array(elements) }

  /// An object; of two fields of one name the last one counts.
  public init(dictionaryLiteral elements: (String, Self)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

extension [String: Throughline.JsonValue] {
  func text(_ name: String) -> String? { self[name]?.string }

  func isTrue(_ name: String) -> Bool { self[name] == .bool(true) }

  func integer(_ name: String) -> Int { self[name]?.integer ?? 0 }

  func list(_ name: String) -> [Throughline.JsonValue] { self[name]?.array ?? [] }

  /// The texts of an object.
  func texts(_ name: String) -> [String: String] { self[name]?.object?.compactMapValues(\.string) ?? [:] }

  /// Sets a field, and leaves out nil.
  mutating func add(_ name: String, _ text: String?) {
    if let text { self[name] = .string(text) }
  }

  /// Sets a field, and leaves out nil.
  mutating func add(_ name: String, _ number: Int?) {
    if let number { self[name] = .integer(number) }
  }
}
