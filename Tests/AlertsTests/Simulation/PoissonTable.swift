import Glibc
import SeededRandom

/// Draws from a Poisson distribution in constant time, by the alias method: as many equally likely
/// cells as outcomes, each shared by two of them.
/// Source: M. D. Vose, A linear algorithm for generating random numbers with a given distribution, 1991.
final class PoissonTable {
  /// Random bits that a draw takes.
  private static let bits = 31

  private let first: Int
  private let cells: Int
  /// Where in a cell its own outcome ends, of 2 to the `bits`, and whose the rest is. Pointers, since
  /// tens of millions of draws are made without the optimiser.
  private let ends: UnsafeMutablePointer<Int>
  private let others: UnsafeMutablePointer<Int>

  init(mean: Double) {
    let spread = 9 * mean.squareRoot() + 12
    first = max(0, Int(mean - spread))
    cells = Int(mean + spread) - first + 1
    ends = .allocate(capacity: cells)
    others = .allocate(capacity: cells)
    let outcomes = (first..<first + cells).map(Double.init)
    fill(outcomes.map { exp($0 * log(mean) - mean - lgamma($0 + 1)) * Double(cells) })
  }

  deinit {
    ends.deallocate()
    others.deallocate()
  }

  /// - Parameter sizes: the chance of each outcome, in cells.
  private func fill(_ sizes: [Double]) {
    var sizes = sizes
    var small = sizes.indices.filter { sizes[$0] < 1 }
    var large = sizes.indices.filter { sizes[$0] >= 1 }
    while let low = small.popLast() {
      let high = large.last ?? low
      set(low, high == low ? 1 : sizes[low], high)
      sizes[high] -= 1 - sizes[low]
      if high != low && sizes[high] < 1 { small.append(large.removeLast()) }
    }
    for high in large { set(high, 1, high) }
  }

  private func set(_ cell: Int, _ share: Double, _ other: Int) {
    ends[cell] = Int(share * Double(1 << Self.bits))
    others[cell] = other
  }

  /// - Parameter random: 31 random bits.
  func draw(_ random: Int) -> Int {
    let scaled = random &* cells
    let cell = scaled &>> Self.bits
    let place = scaled & (1 &<< Self.bits - 1)
    return first &+ (place < ends[cell] ? cell : others[cell])
  }
}
