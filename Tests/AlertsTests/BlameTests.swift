import SeededRandom
import Store
import Testing

@testable import Alerts

@Suite struct BlameTests {
  /// `android 4.2.0 14 letter cold`, – for an absent value, and its taps: bad of all, usually and since.
  private func cell(_ values: String, usual: (Int, Int), since: (Int, Int)) -> Blame.Cell {
    Blame.Cell(
      values: values.split(separator: " ").map { $0 == "–" ? nil : String($0) },
      usual: Counts(taps: usual.1, bad: usual.0), current: Counts(taps: since.1, bad: since.0))
  }

  /// Taps that are as they were.
  private var healthy: [Blame.Cell] {
    [
      cell("ios 3.2.1 18 letter cold", usual: (200, 10_000), since: (2, 100)),
      cell("ios 3.2.1 18 article warm", usual: (200, 10_000), since: (2, 100)),
      cell("android 4.1.3 14 letter cold", usual: (200, 10_000), since: (2, 100)),
      cell("android 4.1.3 15 article warm", usual: (200, 10_000), since: (2, 100)),
    ]
  }

  @Test func `letters of a new version, beside much that is well`() throws {
    let blame = try #require(
      Blame(
        cells: healthy + [
          cell("android 4.2.0 14 letter cold", usual: (0, 0), since: (20, 22)),
          cell("android 4.2.0 15 letter warm", usual: (0, 0), since: (18, 18)),
          cell("android 4.2.0 15 article warm", usual: (0, 0), since: (1, 40)),
        ]))
    #expect(blame.phrase == "android 4.2.0, letter")
    #expect(blame.counts == Counts(taps: 40, bad: 38))
    #expect(blame.share > 0.9 && !blame.isEverything)
  }

  @Test func `a part that is usually better does not hide the culprit in it`() throws {
    let blame = try #require(
      Blame(cells: [
        cell("ios 3.2.1 18 letter cold", usual: (30, 400), since: (0, 60)),
        cell("android 4.1.3 14 letter cold", usual: (1, 225), since: (1, 11)),
        cell("android 4.2.0 14 letter cold", usual: (4, 44), since: (22, 22)),
        cell("android 4.2.0 14 article cold", usual: (1, 40), since: (0, 18)),
        cell("android 4.1.3 14 article cold", usual: (3, 124), since: (0, 8)),
      ]))
    #expect(blame.phrase == "android 4.2.0, letter")
  }

  @Test func `a version of one platform, where both number them alike`() throws {
    let blame = try #require(
      Blame(cells: [
        cell("android 4.2.0 14 letter cold", usual: (0, 0), since: (40, 44)),
        cell("android 4.2.0 14 article cold", usual: (0, 0), since: (1, 44)),
        cell("android 4.1.0 14 letter cold", usual: (200, 10_000), since: (1, 44)),
        cell("ios 4.2.0 18 letter cold", usual: (0, 0), since: (1, 44)),
        cell("ios 4.2.0 18 article warm", usual: (0, 0), since: (1, 44)),
        cell("ios 4.1.0 18 letter warm", usual: (200, 10_000), since: (1, 44)),
      ]))
    #expect(blame.phrase == "android 4.2.0, letter")
    #expect(blame.counts == Counts(taps: 44, bad: 40))
  }

  @Test func `a whole version, whatever its targets`() throws {
    let blame = try #require(
      Blame(
        cells: healthy + [
          cell("android 4.2.0 14 letter cold", usual: (0, 0), since: (20, 22)),
          cell("android 4.2.0 15 article warm", usual: (0, 0), since: (17, 18)),
          cell("android 4.2.0 15 chat warm", usual: (0, 0), since: (19, 20)),
        ]))
    #expect(blame.phrase == "android 4.2.0")
  }

  @Test func `nobody, where everything is bad`() throws {
    let all = healthy.map {
      Blame.Cell(values: $0.values, usual: $0.usual, current: Counts(taps: 100, bad: 40))
    }
    let blame = try #require(Blame(cells: all))
    #expect(blame.isEverything && blame.share == 1)
    #expect(blame.counts == Counts(taps: 400, bad: 160))
  }

  @Test func `one build alone is named, as there is no other`() throws {
    let blame = try #require(
      Blame(cells: [
        cell("ios 3.2.1 18 letter cold", usual: (200, 10_000), since: (12, 60)),
        cell("ios 3.2.1 17 letter warm", usual: (200, 10_000), since: (11, 60)),
      ]))
    #expect(blame.phrase == "ios 3.2.1, letter" && !blame.isEverything)
  }

  @Test func `nearly all taps are of the culprit, and the others are well`() throws {
    let blame = try #require(
      Blame(cells: [
        cell("ios 3.2.1 18 letter cold", usual: (200, 10_000), since: (0, 2)),
        cell("ios 3.3.0 18 letter cold", usual: (0, 0), since: (30, 30)),
        cell("ios 3.3.0 18 article warm", usual: (0, 0), since: (30, 30)),
      ]))
    #expect(blame.phrase == "ios 3.3.0")
  }

  @Test func `who is always bad is not blamed for it`() throws {
    let blame = try #require(
      Blame(
        cells: healthy + [
          cell("ios 3.2.1 18 chat cold", usual: (2_000, 5_000), since: (40, 100)),
          cell("android 4.2.0 14 letter cold", usual: (0, 0), since: (20, 22)),
        ]))
    #expect(blame.phrase.hasPrefix("android 4.2.0"))
  }

  @Test func `values that are absent, an OS version and a launch can be it, too`() throws {
    let absent = try #require(
      Blame(
        cells: healthy + [
          cell("ios 3.2.1 18 – cold", usual: (100, 5_000), since: (40, 50)),
          cell("android 4.1.3 14 – warm", usual: (100, 5_000), since: (40, 50)),
        ]))
    #expect(absent.phrase == "without target type")
    let system = try #require(
      Blame(
        cells: healthy + [
          cell("ios 3.2.1 19 letter cold", usual: (2, 100), since: (40, 50)),
          cell("ios 3.2.1 19 article warm", usual: (2, 100), since: (40, 50)),
        ]))
    #expect(system.phrase == "ios 3.2.1, OS 19")
    let cold = healthy.flatMap { cell in
      ["cold", "warm"].map { launch in
        Blame.Cell(
          values: cell.values.dropLast() + [launch], usual: cell.usual,
          current: Counts(taps: 100, bad: launch == "cold" ? 60 : 2))
      }
    }
    #expect(try #require(Blame(cells: cold)).phrase == "cold start")
  }

  @Test func `without an excess nobody is looked for`() {
    #expect(Blame(cells: []) == nil)
    #expect(Blame(cells: healthy) == nil)
    #expect(Blame(cells: [cell("ios 1 1 letter cold", usual: (0, 0), since: (9, 9))]) == nil)
  }

  /// Segments with random traffic and rates, of which one version's target breaks.
  @Test func `a planted culprit is found, in any order of the segments`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var found = 0
    for _ in 0..<200 {
      let culprit = (version: "v\(Int.random(in: 0..<4, using: &random))", target: "t1")
      var cells: [Blame.Cell] = []
      for version in 0..<4 {
        for target in 0..<3 {
          for os in ["14", "15"] {
            for launch in ["cold", "warm"] {
              let isBroken = "v\(version)" == culprit.version && "t\(target)" == culprit.target
              let usual = Int.random(in: 100..<2_000, using: &random)
              let taps = Int.random(in: 5..<40, using: &random)
              cells.append(
                cell(
                  "p\(version % 2) v\(version) \(os) t\(target) \(launch)",
                  usual: (draw(usual, 0.03, &random), usual),
                  since: (draw(taps, isBroken ? 0.7 : 0.03, &random), taps)))
            }
          }
        }
      }
      let blame = try #require(Blame(cells: cells))
      #expect((0...1).contains(blame.share))
      let fields = blame.fields.filter { [.appVersion, .targetType].contains($0.dimension) }
      let wanted = [
        Blame.Field(.appVersion, culprit.version), Blame.Field(.targetType, culprit.target),
      ]
      if fields == wanted { found += 1 }
      #expect(Blame(cells: cells.shuffled(using: &random)) == blame)
    }
    #expect(found >= 190, "\(found) of 200")
  }

  /// Twenty taps an hour, of which forty of a new version's chats come within some minutes.
  @Test func `a small project's release is named with its target`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var (version, both) = (0, 0)
    for _ in 0..<200 {
      var cells: [Blame.Cell] = []
      for build in ["ios 3.2.1", "android 4.1.3"] {
        for rest in ["letter cold", "letter warm", "article cold", "article warm", "chat warm"] {
          let taps = Int.random(in: 1..<5, using: &random)
          let parts = rest.split(separator: " ")
          cells.append(
            cell(
              "\(build) 18.1 \(parts[0]) \(parts[1])", usual: (draw(336, 0.02, &random), 336),
              since: (draw(taps, 0.02, &random), taps)))
        }
      }
      cells.append(
        cell("android 4.2.0 18.1 chat cold", usual: (0, 0), since: (draw(40, 0.5, &random), 40)))
      let fields = try #require(Blame(cells: cells)).fields
      if fields.contains(Blame.Field(.appVersion, "4.2.0")) { version += 1 }
      if fields.map(\.value) == ["android", "4.2.0", "chat"] { both += 1 }
    }
    #expect(version >= 180, "\(version) of 200")
    #expect(both >= 175, "\(both) of 200")
  }

  private func draw(_ taps: Int, _ rate: Double, _ random: inout SeededGenerator) -> Int {
    (0..<taps).count { _ in Double.random(in: 0..<1, using: &random) < rate }
  }
}
