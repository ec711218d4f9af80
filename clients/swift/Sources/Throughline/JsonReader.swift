/// More than the service's, so that an event can be read within a list. The reader calls itself for each level.
package let maxJsonLevels = 100

/// Longer numbers would take a time that grows with their length.
private let maxNumberBytes = 400

struct JsonError: Error, CustomStringConvertible {
  let description: String
}

/// Reads RFC 8259. Foundation's reader gives no numbers and Booleans apart on every system.
func readJson(_ text: String) throws -> JsonValue {
  var copy = text
  return try copy.withUTF8 { bytes in
    var reader = JsonReader(bytes: bytes)
    return try reader.readAll()
  }
}

/// Nil for a text that is no JSON object.
package func readObject(_ text: String) -> Throughline.JsonObject? { (try? readJson(text))?.object }

private struct JsonReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var at = 0

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func readAll() throws -> JsonValue {
    let value = try readValue(1)
    skipSpace()
    if at < bytes.count { throw expected("one value") }
    return value
  }

  private mutating func readValue(_ level: Int) throws -> JsonValue {
    skipSpace()
    let next = peek
    if level > maxJsonLevels, next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
      throw expected("at most \(maxJsonLevels) levels")
    }
    switch next {
    case UInt8(ascii: "{"): return .object(try readObject(level))
    case UInt8(ascii: "["): return .array(try readArray(level))
    case UInt8(ascii: "\""): return .string(try readText())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try readNumber()
    }
  }

  private mutating func readObject(_ level: Int) throws -> JsonObject {
    var fields: JsonObject = [:]
    at += 1
    skipSpace()
    if take("}") { return fields }
    repeat {
      skipSpace()
      if peek != UInt8(ascii: "\"") { throw expected("a name") }
      let name = try readText()
      skipSpace()
      try expect(":")
      fields[name] = try readValue(level + 1)
      skipSpace()
    } while take(",")
    try expect("}")
    return fields
  }

  private mutating func readArray(_ level: Int) throws -> [JsonValue] {
    var items: [JsonValue] = []
    at += 1
    skipSpace()
    if take("]") { return items }
    repeat {
      items.append(try readValue(level + 1))
      skipSpace()
    } while take(",")
    try expect("]")
    return items
  }

  private mutating func readText() throws -> String {
    at += 1
    let start = at
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { at += 1 }
    if peek == UInt8(ascii: "\"") {
      defer { at += 1 }
      return String(decoding: bytes[start..<at], as: UTF8.self)
    }
    var text = Array(bytes[start..<at])
    while true {
      guard let byte = peek else { throw expected("the end of the text") }
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text.append(contentsOf: String(try readEscape()).utf8)
      case 0..<0x20: throw expected("an escaped control character")
      default: text.append(byte)
      }
    }
  }

  private mutating func readEscape() throws -> Unicode.Scalar {
    guard let kind = peek else { throw expected("an escape") }
    at += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readPair()
    default: throw expected("an escape")
    }
  }

  /// A text of Swift holds no half of a surrogate pair: it becomes U+FFFD.
  private mutating func readPair() throws -> Unicode.Scalar {
    let high = try readHex()
    guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
    let before = at
    if take("\\"), take("u") {
      let low = try readHex()
      if (0xDC00..<0xE000).contains(low) {
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
      }
    }
    at = before
    return "\u{FFFD}"
  }

  private mutating func readHex() throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = peek.flatMap(hexDigit) else { throw expected("four hexadecimal digits") }
      value = value * 16 + UInt32(digit)
      at += 1
    }
    return value
  }

  private mutating func readNumber() throws -> JsonValue {
    let start = at
    _ = take("-")
    if !take("0") { try digits() }
    var isWhole = true
    if take(".") {
      isWhole = false
      try digits()
    }
    if take("e") || take("E") {
      isWhole = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    if at - start > maxNumberBytes { throw expected("at most \(maxNumberBytes) characters in a number") }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if isWhole, let number = Int(text) { return .integer(number) }
    guard let number = Double(text) else { throw expected("a value") }
    return .number(number)
  }

  private mutating func digits() throws {
    let start = at
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
    if at == start { throw expected("a value") }
  }

  private mutating func word(_ word: StaticString, _ value: JsonValue) throws -> JsonValue {
    let expectedBytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[at...].starts(with: expectedBytes) else { throw expected("a value") }
    at += word.utf8CodeUnitCount
    return value
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws {
    if !take(character) { throw expected("“\(character)”") }
  }

  private func expected(_ what: String) -> JsonError { JsonError(description: "JSON needs \(what) at byte \(at)") }
}

func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
