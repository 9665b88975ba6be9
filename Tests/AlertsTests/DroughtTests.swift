import PushReceipts
import Testing

@testable import Alerts

@Suite struct DroughtTests {
  private let now = Timestamp("2026-12-01T12:00:00Z")!

  @Test func `the tail of the Poisson distribution, also far out and for large means`() {
    // Sums of the terms in another language's doubles.
    #expect(abs(logPoissonCDF(0, mean: 14) - -14) < 1e-12)
    #expect(abs(logPoissonCDF(3, mean: 20) - -12.651_197) < 1e-5)
    #expect(abs(logPoissonCDF(1_000, mean: 10_000) - -6_701.682_458) < 1e-5)
    #expect(abs(logPoissonCDF(100, mean: 100) - -0.641_386) < 1e-5)
    #expect(logPoissonCDF(500, mean: 100) == 0)
  }

  @Test func `weeks before the first receipt say nothing, and one broadcast is not usual`() {
    #expect(DroughtEvaluator(count: 3, past: [0, 0, 0, 0]).usual == nil)
    #expect(DroughtEvaluator(count: 3, past: [100, 0, 0, 0]).usual == 100)
    #expect(DroughtEvaluator(count: 3, past: [0, 0, 0, 9_000]).usual == 0)
    #expect(DroughtEvaluator(count: 3, past: [100, 9_000, 110]).usual == 110)
    #expect(DroughtEvaluator(count: 3, past: [100, 9_000, 110, 120]).usual == 115)
  }

  private func state(_ count: Int, _ usual: Int, _ previous: Standing = .start) -> AlertState {
    Evaluator.look(
      DroughtEvaluator(count: count, past: [usual]), heardInADay: count > 0, previous: previous,
      at: now
    ).standing.state
  }

  @Test func `less than a tenth of the usual, and not by chance`() {
    #expect(state(9, 100) == .firing)
    #expect(state(10, 100) == .ok)
    #expect(state(0, 14) == .firing)
    // Once in 440,000 hours it happens by chance.
    #expect(state(0, 13) == .noData)
    #expect(state(1, 13) == .ok)
  }

  @Test func `it goes on until more comes than a tenth of the usual would bring`() {
    let firing = Standing(.firing, since: now + -Timestamp.hour)
    #expect(state(12, 100, firing) == .firing)
    #expect(state(20, 100, firing) == .ok)
    // In the night, when nothing is usual, nothing is known to be over.
    #expect(state(0, 0, firing) == .firing)
    #expect(state(0, 5, firing) == .firing)
    #expect(state(4, 5, firing) == .ok)
  }

  @Test func `without a week before it is learning, and without a receipt in a day it has no data`()
  {
    let empty = DroughtEvaluator(count: 0, past: [0, 0])
    let learning = Evaluator.look(empty, heardInADay: true, previous: .start, at: now)
    #expect(learning == Finding(Standing(.learning)))
    let silent = Evaluator.look(empty, heardInADay: false, previous: .start, at: now)
    #expect(silent == Finding(Standing(.noData)))
  }
}
