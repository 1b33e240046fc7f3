package import StockbusPlugin

/// What becomes of an event that comes too late for its place.
package enum TooLate: String, Choice {
  case drop, pass
}

package struct GuardSettings: Options {
  @Setting(
    "How long an event waits for older ones, so that those that are at most so late get into their place; without it events pass as they come.",
    in: .zero ... .seconds(3600))
  package var late: Duration?
  @Setting("What becomes of an event that is later: drop leaves it out, pass sends it at once, out of order.")
  package var tooLate = TooLate.drop
  @Setting(
    "An event that is dated further after its receipt is set aside, because a clock must be wrong.", in: .zero ... .seconds(86_400))
  package var ahead = Duration.seconds(60)
  @Setting(
    "A price that differs by more than this from the median of the last ones of its symbol is set aside.",
    in: Percent(raw: 1)...1000)
  package var odd: Percent?
  @Setting("How many prices the median is of; with less than half as many, every price passes.", in: 3...1001)
  package var of = 11

  package init() {}

  package func validate(_ problems: inout OptionProblems) {
    if late == nil, problems.isGiven("too_late") {
      problems.add("'too_late' is for 'late': without it no event is too late", at: "too_late")
    }
    if odd == nil, problems.isGiven("of") { problems.add("'of' is for 'odd': without it no price is compared", at: "of") }
  }
}
