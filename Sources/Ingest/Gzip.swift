import CZlib
import PushReceipts

/// Inflates gzip bodies within a bound.
enum Gzip {
  /// The inflated bytes of one or more gzip members.
  /// - Throws: `BodyError` where the input is not complete gzip, or inflates beyond `maxBytes`.
  static func inflate(_ input: [UInt8], maxBytes: Int) throws(BodyError) -> [UInt8] {
    var stream = z_stream()
    guard receipts_inflate_init_gzip(&stream) == Z_OK else { throw .outOfMemory }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    var status = Z_OK
    var consumed = 0
    while consumed < input.count || status == Z_OK {
      if status == Z_STREAM_END {
        // Another member follows.
        guard inflateReset(&stream) == Z_OK else { throw .malformedGzip }
      }
      let produced: Int
      (status, consumed, produced) = step(&stream, input, consumed, &chunk)
      guard status == Z_OK || status == Z_STREAM_END else { throw .malformedGzip }
      guard output.count + produced <= maxBytes else { throw .inflatedTooLarge }
      output.append(contentsOf: chunk[..<produced])
      if status == Z_OK, produced == 0, consumed == input.count { throw .malformedGzip }
    }
    return output
  }

  private static func step(
    _ stream: inout z_stream, _ input: [UInt8], _ consumed: Int, _ chunk: inout [UInt8]
  ) -> (status: Int32, consumed: Int, produced: Int) {
    input.withUnsafeBufferPointer { source in
      chunk.withUnsafeMutableBufferPointer { target in
        // zlib does not write to its input; its older interface does not say so.
        stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress.map { $0 + consumed })
        stream.avail_in = UInt32(source.count - consumed)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        let status = CZlib.inflate(&stream, Z_NO_FLUSH)
        return (status, source.count - Int(stream.avail_in), target.count - Int(stream.avail_out))
      }
    }
  }
}
