import Foundation

/// Fields in the order of their names: the same content is the same text. Throws for more levels of objects and lists,
/// and for a number that JSON does not have.
package func writeJson(_ value: Throughline.JsonValue, maxLevels: Int = maxJsonLevels) throws -> String {
  var bytes: [UInt8] = []
  try append(value, maxLevels, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

/// A text as JSON.
func jsonText(_ text: String) -> String {
  var bytes: [UInt8] = []
  appendText(text, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

private func append(_ value: JsonValue, _ levels: Int, to bytes: inout [UInt8]) throws {
  switch value {
  case .null: bytes += "null".utf8
  case .bool(let flag): bytes += (flag ? "true" : "false").utf8
  case .integer(let number): bytes += String(number).utf8
  case .number(let number): bytes += try numberText(number).utf8
  case .string(let text): appendText(text, to: &bytes)
  case .array(let items):
    if levels == 0 { throw JsonError(description: "it has too many levels") }
    bytes.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try append(item, levels - 1, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  case .object(let fields):
    if levels == 0 { throw JsonError(description: "it has too many levels") }
    bytes.append(UInt8(ascii: "{"))
    for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      appendText(field.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      try append(field.value, levels - 1, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

private func appendText(_ text: String, to bytes: inout [UInt8]) {
  bytes.append(UInt8(ascii: "\""))
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x08: bytes += "\\b".utf8
    case 0x09: bytes += "\\t".utf8
    case 0x0A: bytes += "\\n".utf8
    case 0x0C: bytes += "\\f".utf8
    case 0x0D: bytes += "\\r".utf8
    case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
    default: bytes.append(byte)
    }
  }
  bytes.append(UInt8(ascii: "\""))
}

/// As long as the service writes it: JavaScript's text of a number.
func numberText(_ number: Double) throws -> String {
  guard number.isFinite else { throw JsonError(description: "\(number) is no JSON number") }
  if number == 0 { return "0" }
  let sign = number < 0 ? "-" : ""
  let (digits, point) = decimalOf(abs(number))
  if point > 21 || point < -5 {
    let rest = digits.dropFirst()
    return "\(sign)\(digits.prefix(1))\(rest.isEmpty ? "" : ".")\(rest)e\(point > 0 ? "+" : "")\(point - 1)"
  }
  if point <= 0 { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
  if point >= digits.count { return sign + digits + String(repeating: "0", count: point - digits.count) }
  return "\(sign)\(digits.prefix(point)).\(digits.dropFirst(point))"
}

/// The shortest digits of a positive number, without zeros around them, and where the point is among them.
private func decimalOf(_ number: Double) -> (digits: String, point: Int) {
  let parts = number.description.lowercased().split(separator: "e")
  let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
  var digits = Substring(mantissa.joined())
  var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
  while digits.first == "0" {
    digits.removeFirst()
    point -= 1
  }
  while digits.last == "0" { digits.removeLast() }
  return (String(digits), point)
}
