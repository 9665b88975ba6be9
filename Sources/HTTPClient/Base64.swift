import CCrypto

/// Base64 with the standard alphabet and padding, on one line.
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = Int(EVP_EncodeBlock(&text, bytes, Int32(bytes.count)))
    return String(decoding: text[..<count], as: UTF8.self)
  }

  /// Nil for anything but the one text that encodes these bytes.
  static func decode(_ text: String) -> [UInt8]? {
    let symbols = Array(text.utf8)
    guard symbols.count % 4 == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: symbols.count / 4 * 3)
    guard EVP_DecodeBlock(&bytes, symbols, Int32(symbols.count)) == bytes.count else { return nil }
    // OpenSSL counts the padding as zeros.
    bytes.removeLast(min(bytes.count, symbols.suffix(2).count { $0 == UInt8(ascii: "=") }))
    // OpenSSL skips blanks at both ends, and looks neither at where padding stands nor at the bits
    // that are over.
    return encode(bytes) == text ? bytes : nil
  }
}
