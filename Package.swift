// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let strictCxx: [CXXSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "push-receipts",
  platforms: [.iOS(.v15), .macOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
  products: [
    .library(name: "ReceiptClient", targets: ["ReceiptClient"]),
    .executable(name: "receiptd", targets: ["receiptd"]),
    .executable(name: "receipts", targets: ["receipts"]),
  ],
  targets: [
    // C libraries, nothing else.
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "CSimdJSON", cxxSettings: strictCxx, linkerSettings: [.linkedLibrary("simdjson")]),

    // The domain: no IO, no clock, no C.
    // libm: Swift's rounding calls it.
    .target(
      name: "PushReceipts", swiftSettings: strict, linkerSettings: [.linkedLibrary("m")]),

    // Random numbers that a seed repeats, for the demo and the tests.
    .target(name: "SeededRandom", swiftSettings: strict),

    // Threads, a monitor, a clock that only goes forward.
    .target(name: "Threading", swiftSettings: strict),

    // Thin owners of one C library each; they know nothing of receipts.
    .target(name: "Postgres", dependencies: ["CPostgres", "Threading"], swiftSettings: strict),
    .target(
      name: "HTTPServer", dependencies: ["CMicroHTTPD", "Threading"], swiftSettings: strict),
    .target(name: "JSON", dependencies: ["CSimdJSON"], swiftSettings: strict),
    .target(name: "HTTPClient", dependencies: ["CCurl", "CCrypto"], swiftSettings: strict),

    .target(
      name: "Store", dependencies: ["PushReceipts", "Postgres", "Threading"],
      resources: [.embedInCode("sql")], swiftSettings: strict),
    .target(
      name: "Ingest",
      dependencies: ["PushReceipts", "HTTPServer", "JSON", "Store", "Threading", "CZlib"],
      swiftSettings: strict),
    .target(
      name: "Reports", dependencies: ["PushReceipts", "JSON", "Store"], swiftSettings: strict),
    .target(
      name: "Alerts",
      dependencies: [
        "HTTPClient", "JSON", "Postgres", "PushReceipts", "Reports", "Store", "Threading",
      ],
      swiftSettings: strict),
    .target(name: "Settings", dependencies: ["Postgres", "Store"], swiftSettings: strict),

    // What apps link: Foundation and zlib, which every platform has, and nothing of the server's.
    .target(name: "ReceiptClient", dependencies: ["CZlib"], swiftSettings: strict),

    // A fleet of simulated phones with real clients, and the truth to hold the reports against.
    .target(
      name: "Demo",
      dependencies: ["PushReceipts", "ReceiptClient", "Reports", "SeededRandom", "Store"],
      swiftSettings: strict),

    .executableTarget(
      name: "receiptd",
      dependencies: [
        "Alerts", "HTTPServer", "Ingest", "Postgres", "PushReceipts", "Settings", "Store",
        "Threading",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "receipts",
      dependencies: [
        "Alerts", "Demo", "HTTPClient", "JSON", "Postgres", "PushReceipts", "Reports", "Store",
        "Settings",
      ],
      swiftSettings: strict),

    // Only for deploy/bench.
    .executableTarget(
      name: "merge-bench", dependencies: ["Postgres", "PushReceipts", "Store"],
      path: "Benchmarks/merge", swiftSettings: strict),

    .executableTarget(
      name: "extension-bench", dependencies: ["ReceiptClient"], path: "Benchmarks/extension",
      swiftSettings: strict),

    // What tests share. Nothing of it is in a product.
    .target(
      name: "TestSupport", dependencies: ["PushReceipts", "Postgres", "SeededRandom", "Store"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .executableTarget(
      name: "postgres-holder", dependencies: ["Postgres", "Store"], path: "Tests/PostgresHolder",
      swiftSettings: strict),
    .testTarget(
      name: "PushReceiptsTests", dependencies: ["PushReceipts", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "PushReceipts"], swiftSettings: strict),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["HTTPServer", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "HTTPClientTests", dependencies: ["HTTPClient", "TestSupport", "Threading"],
      swiftSettings: strict),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "PushReceipts", "Postgres", "Store", "TestSupport", "Threading", "postgres-holder",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "receipt-writer", dependencies: ["ReceiptClient"], path: "Tests/ReceiptWriter",
      swiftSettings: strict),
    .testTarget(
      name: "ReceiptClientTests",
      dependencies: ["CZlib", "ReceiptClient", "TestSupport", "receipt-writer"],
      swiftSettings: strict),
    .testTarget(
      name: "AlertsTests",
      dependencies: [
        "Alerts", "HTTPClient", "JSON", "Postgres", "PushReceipts", "Reports", "SeededRandom",
        "Store", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(name: "SettingsTests", dependencies: ["Settings"], swiftSettings: strict),
    .testTarget(
      name: "IngestTests", dependencies: ["Ingest", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ReportsTests",
      dependencies: ["JSON", "PushReceipts", "Reports", "Store", "receipts"],
      swiftSettings: strict),
    .testTarget(
      name: "ReportsDatabaseTests",
      dependencies: ["Postgres", "PushReceipts", "Reports", "Store", "TestSupport"],
      swiftSettings: strict),
    // They run the built programs.
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Postgres", "ReceiptClient", "Store", "TestSupport", "receiptd", "receipts",
      ],
      exclude: ["help"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
