import TestSupport

/// A configuration whose source sends so many numbers one by one, and then stays.
func changingText(_ processors: String, _ sinks: String, count: Int = 3000) -> String {
  "sources: { numbers: { plugin: numbers, count: \(count), single: true, hold: true, output: { capacity: 16 } } }"
    + (processors.isEmpty ? "" : "\nprocessors: { \(processors) }") + "\nsinks: { \(sinks) }"
}

/// Processors `p0` to `p3`, each reading an earlier one or the source; `keep` and some other sinks, each reading any of them.
func randomText(_ random: inout SplitMix, _ round: Int, count: Int) -> String {
  var outputs = ["numbers"]
  var processors: [String] = []
  func any(_ random: inout SplitMix) -> String { outputs.randomElement(using: &random)! }
  for place in 0..<4 where !random.oneIn(3) {
    let plugin = random.oneIn(4) ? "async_pass" : "pass"
    let option = plugin == "pass" && random.oneIn(2) ? ", drops: [-\(random.upTo(2))]" : ""
    let ring = random.oneIn(2) ? ", output: { capacity: \(2 << random.upTo(5)) }" : ""
    processors.append("p\(place): { plugin: \(plugin), inputs: [\(any(&random))]\(option)\(ring) }")
    outputs.append("p\(place)")
  }
  var sinks = ["keep: { plugin: keep, inputs: [\(any(&random))] }"]
  for place in 0..<3 where !random.oneIn(3) {
    let option = random.oneIn(3) ? ", poison: [-\(random.upTo(2))]" : ""
    // The second one drops what it does not take in time; the third one reads twice.
    var inputs = any(&random)
    if place == 1 { inputs = "{ from: \(inputs), overflow: drop_oldest, capacity: \(1 + random.upTo(8)) }" }
    if place == 2, case let other = any(&random), other != inputs { inputs += ", \(other)" }
    sinks.append("k\(place): { plugin: keep, inputs: [\(inputs)]\(option) }")
  }
  // What nobody reads is refused.
  for output in outputs.dropFirst() where !random.oneIn(10) && !(processors + sinks).contains(where: { $0.contains("[\(output)]") }) {
    sinks.append("of_\(output): { plugin: keep, inputs: [\(output)] }")
  }
  if random.oneIn(4) { sinks.append("x\(round): { plugin: keep, inputs: [\(any(&random))], failing_starts: 1000 }") }
  return changingText(processors.joined(separator: ", "), sinks.joined(separator: ", "), count: count)
}
