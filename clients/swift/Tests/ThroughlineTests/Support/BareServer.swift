import Foundation

/// Answers one request, whose bytes a test reads as they came.
struct BareServer {
  let port: UInt16
  private let listener: Int32

  init() throws {
    #if canImport(Darwin)
      let stream = SOCK_STREAM
    #else
      let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    listener = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw Offline() }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// In another thread, since it waits.
  func answerOne() async -> String {
    await withCheckedContinuation { done in
      Thread.detachNewThread { [listener] in
        let connection = accept(listener, nil, nil)
        var request = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while !request.contains("\r\n\r\n") {
          let count = read(connection, &bytes, bytes.count)
          if count <= 0 { break }
          request += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        let answer = Array("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".utf8)
        _ = write(connection, answer, answer.count)
        close(connection)
        close(listener)
        done.resume(returning: request)
      }
    }
  }
}
