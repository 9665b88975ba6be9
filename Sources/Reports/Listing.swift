import JSON

/// A plain list of things with names, in the forms that reports have.
public struct Listing: Equatable, Sendable {
  /// The member of the JSON document that holds the list.
  public let name: String
  public let columns: [Column]
  public let rows: [[Cell]]
  /// What a person reads where there is nothing to list.
  public let emptiness: String

  /// A list of rows with a text for each key.
  public init(name: String, keys: [String], rows: [[Cell]], emptiness: String) {
    self.init(name: name, columns: keys.map { ($0, .text) }, rows: rows, emptiness: emptiness)
  }

  /// A list of rows with a cell for each column.
  public init(
    name: String, columns: [(key: String, kind: Column.Kind)], rows: [[Cell]], emptiness: String
  ) {
    self.name = name
    self.columns = columns.map { Column($0.key, $0.kind) }
    self.rows = rows
    self.emptiness = emptiness
  }
}

extension JSONRenderer {
  /// `{"name":[{…}]}`, after further members.
  public static func text(_ listing: Listing, with members: KeyValuePairs<String, String> = [:])
    -> String
  {
    var json = JSONWriter()
    json.object { json in
      for (key, value) in members { json.member(key, value) }
      json.key(listing.name)
      json.array { json in
        for row in listing.rows {
          json.object { json in write(row, listing.columns, to: &json) }
        }
      }
    }
    return json.text + "\n"
  }
}

extension CSVRenderer {
  /// A row a row.
  public static func text(_ listing: Listing) -> String {
    lines([listing.columns.map(\.key)] + listing.rows.map { $0.map(plain) })
  }
}

extension TableRenderer {
  /// Aligned columns.
  public func text(_ listing: Listing) -> String {
    if listing.rows.isEmpty { return fitted([listing.emptiness]).joined(separator: "\n") + "\n" }
    return grid(listing.columns, listing.rows, chart: nil).lines(width: width, paint: paint)
      .joined(separator: "\n") + "\n"
  }
}
