import Foundation
import SeededRandom

/// What stories draw.
extension SeededGenerator {
  /// Another generator, so that what one phone draws does not move the others.
  mutating func fork() -> SeededGenerator { SeededGenerator(seed: next()) }

  mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }

  mutating func seconds(_ range: ClosedRange<Double>) -> Double {
    // Whole milliseconds, as devices report them.
    (Double.random(in: range, using: &self) * 1000).rounded() / 1000
  }

  /// Most of them short, some very long: a log-uniform draw.
  mutating func skewedSeconds(_ range: ClosedRange<Double>) -> Double {
    let exponent = Double.random(in: 0...1, using: &self)
    return
      (range.lowerBound * pow(range.upperBound / range.lowerBound, exponent * exponent)
      * 1000).rounded() / 1000
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements.randomElement(using: &self)!
  }

  /// One of some things, each as often as its weight says.
  mutating func pick<Element>(_ weighted: KeyValuePairs<Element, Double>) -> Element {
    var rest = Double.random(in: 0..<weighted.reduce(0) { $0 + $1.value }, using: &self)
    for (element, weight) in weighted {
      rest -= weight
      if rest < 0 { return element }
    }
    return weighted[weighted.count - 1].key
  }

  /// A version 4 UUID, in lower case.
  mutating func uuid() -> String {
    let high = String((next() & ~0xF000) | 0x4000, radix: 16)
    let low = String((next() & ~(3 << 62)) | (2 << 62), radix: 16)
    let digits = Array(padded(high) + padded(low))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }

  private func padded(_ digits: String) -> String {
    String(repeating: "0", count: 16 - digits.count) + digits
  }
}
