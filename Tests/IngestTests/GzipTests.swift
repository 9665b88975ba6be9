import CZlib
import Testing

@testable import Ingest

@Suite("Gzip bodies")
struct GzipTests {
  static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    precondition(
      deflateInit2_(
        &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    var input = bytes
    input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
        (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
        precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
      }
    }
    output.removeLast(Int(stream.avail_out))
    deflateEnd(&stream)
    return output
  }

  @Test("come back as they were, in one member or several")
  func roundTrip() throws {
    let text = Array(String(repeating: "receipt ", count: 40_000).utf8)
    #expect(try Gzip.inflate(Self.deflated(text), maxBytes: text.count) == text)
    let members = Self.deflated(Array("one".utf8)) + Self.deflated(Array("two".utf8))
    #expect(try Gzip.inflate(members, maxBytes: 100) == Array("onetwo".utf8))
    #expect(try Gzip.inflate(Self.deflated([]), maxBytes: 100) == [])
  }

  @Test("are bounded while they inflate")
  func bomb() {
    let bomb = Self.deflated([UInt8](repeating: 32, count: 50 << 20))
    #expect(bomb.count < 100_000)
    #expect(throws: BodyError.self) { try Gzip.inflate(bomb, maxBytes: 4 << 20) }
  }

  @Test("that are cut or no gzip at all are refused")
  func malformed() {
    let whole = Self.deflated(Array("receipt".utf8))
    for count in 0..<whole.count {
      #expect(throws: BodyError.self, "\(count) bytes") {
        try Gzip.inflate(Array(whole[..<count]), maxBytes: 100)
      }
    }
    #expect(throws: BodyError.self) { try Gzip.inflate(Array("{}".utf8), maxBytes: 100) }
    #expect(throws: BodyError.self) { try Gzip.inflate(whole + [1, 2, 3], maxBytes: 100) }
  }
}
