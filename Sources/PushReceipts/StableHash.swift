/// A 64-bit hash that is the same in every process and version: FNV-1a with the finalizer of
/// MurmurHash3, which spreads its weak low bits. It names things; it keeps no secret and stops no
/// one who chooses the input.
enum StableHash {
  static let seed: UInt64 = 0xCBF2_9CE4_8422_2325

  static func of(_ bytes: [UInt8]) -> UInt64 {
    finished(continued(seed, bytes))
  }

  static func continued(_ hash: UInt64, _ bytes: [UInt8]) -> UInt64 {
    var hash = hash
    for byte in bytes { hash = continued(hash, byte: byte) }
    return hash
  }

  static func continued(_ hash: UInt64, byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  static func finished(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ (hash >> 33)
  }
}
