import CZlib
import Foundation

/// gzip, by the zlib that every platform has.
enum Gzip {
  /// - Returns: nil where zlib has no memory left.
  static func deflate(_ input: Data) -> Data? {
    var stream = z_stream()
    guard receipts_deflate_init_gzip(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
    let status = input.withUnsafeBytes { source in
      output.withUnsafeMutableBufferPointer { target in
        // zlib does not write to its input; its older interface does not say so.
        stream.next_in = UnsafeMutablePointer(
          mutating: source.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return CZlib.deflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { return nil }
    return Data(output[..<Int(stream.total_out)])
  }
}
