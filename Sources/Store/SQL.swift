/// The statements of `sql/queries`, as built in.
enum SQL {
  static let mergeDeliveries = text(PackageResources.merge_deliveries_sql)
  static let mergeSends = text(PackageResources.merge_sends_sql)
  static let addSegments = text(PackageResources.add_segments_sql)
  static let findKey = text(PackageResources.find_key_sql)
  static let readKeys = text(PackageResources.read_keys_sql)

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
