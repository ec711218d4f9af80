import Foundation

// JSON values of Swift's own values, and back.

extension Throughline {
  /// Why a value is no JSON value; the message names it.
  public struct JsonConversionError: LocalizedError, Sendable, CustomStringConvertible {
    /// What to do.
    public let description: String

    /// The description.
    public var errorDescription: String? { description }
  }
}

extension Throughline.JsonValue {
  /// Takes texts, numbers, Booleans, nil, dates (as ISO 8601 in UTC), URLs, UUIDs, JSON values, and lists and dictionaries
  /// of these. Throws a `JsonConversionError` for another value.
  public init(any value: Any) throws { self = try valueOf(value, "the value", maxJsonLevels) }

  /// What `init(any:)` takes: `NSNull` for null.
  public var any: any Sendable {
    switch self {
    case .null: NSNull()
    case .bool(let flag): flag
    case .integer(let number): number
    case .number(let number): number
    case .string(let text): text
    case .array(let items): items.map(\.any)
    case .object(let fields): fields.dictionary
    }
  }
}

extension [String: Throughline.JsonValue] {
  /// The values as `JsonValue(any:)` takes them, such as of variables: `["size": size, "at": Date()]`.
  public init(any fields: [String: Any]) throws {
    self = try fields.reduce(into: [:]) { $0[$1.key] = try valueOf($1.value, "“\($1.key)”", maxJsonLevels) }
  }

  /// With values of Swift: texts, numbers, Booleans, `NSNull`, lists and dictionaries.
  public var dictionary: [String: any Sendable] { mapValues(\.any) }
}

extension Throughline.JsonValue: Encodable, CustomStringConvertible {
  /// As the JSON that it is.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let items): try container.encode(items)
    case .object(let fields): try container.encode(fields)
    }
  }

  /// The JSON; of a value that JSON does not have, Swift's text.
  public var description: String { (try? writeJson(self)) ?? "\(any)" }
}

private func valueOf(_ value: Any, _ what: String, _ levels: Int) throws -> JsonValue {
  if levels == 0 { throw Throughline.JsonConversionError(description: "\(what) has too many levels") }
  switch value {
  case let value as JsonValue: return value
  case let optional as any OptionalValue:
    return try optional.wrapped.map { try valueOf($0, what, levels) } ?? .null
  case is NSNull: return .null
  case let number as NSNumber where type(of: value) is NSNumber.Type: return valueOf(number)
  case let flag as Bool: return .bool(flag)
  case let number as any BinaryInteger:
    return Int(exactly: number).map { .integer($0) } ?? .number(Double(number))
  case let number as any BinaryFloatingPoint: return .number(Double(number))
  case let number as Decimal: return valueOf(NSDecimalNumber(decimal: number))
  case let text as any StringProtocol: return .string(String(text))
  case let date as Date: return .string(isoTime(date.milliseconds))
  case let url as URL: return .string(url.absoluteString)
  case let id as UUID: return .string(id.uuidString)
  case let items as [Any]:
    return .array(try items.enumerated().map { try valueOf($1, "\(what)[\($0)]", levels - 1) })
  case let fields as [String: Any]:
    return .object(
      try fields.reduce(into: [:]) { $0[$1.key] = try valueOf($1.value, "\(what).\($1.key)", levels - 1) })
  default:
    throw Throughline.JsonConversionError(
      description:
        "\(what) is of type \(type(of: value)), which JSON does not have. Pass a text, number, Boolean, date, "
        + "list or dictionary")
  }
}

/// Objective-C has one class for numbers and Booleans.
private func valueOf(_ number: NSNumber) -> JsonValue {
  #if canImport(Darwin)
    if CFGetTypeID(number) == CFBooleanGetTypeID() { return .bool(number.boolValue) }
  #endif
  if let whole = Int(number.stringValue) { return .integer(whole) }
  return .number(number.doubleValue)
}

private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  var wrapped: Any? { self }
}
