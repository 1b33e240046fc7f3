/// What the readers of a run should have got, worked out number by number from the configurations that were applied: slow and obvious.
struct Model {
  /// The applied configurations, from the first on.
  var desks: [Desk]
  /// Configurations that were refused because a component did not start, by the number of those that were applied before.
  var failed: [(after: Int, desk: Desk)]

  /// The records of all readers but the lossy one, if configuration `i` holds from number `firsts[i]` on, and `last` is the last number.
  ///
  /// The wiring changes for all at one number. Options change at a number of each component's own, which is taken from what it noted.
  func records(firsts: [Int64], last: Int64, lives: [String: [Life]]) -> [String: Record] {
    var records: [String: Record] = [:]
    for (place, desk) in desks.enumerated() {
      let end = place + 1 < firsts.count ? firsts[place + 1] : last + 1
      guard firsts[place] < end else { continue }
      for reader in desk.allReaders where reader.lossy == nil {
        var record = records[reader.id] ?? Record()
        var own = Lives(lives[reader.id])
        var paths = reader.inputs.map { desk.path(to: $0).map { Lives(lives[$0]) } }
        for number in firsts[place]..<end {
          for path in paths.indices {
            var mark: Int64? = 0
            for stage in paths[path].indices {
              guard let before = mark else { break }
              let life = paths[path][stage].life(at: number)
              mark = life.every > 0 && number % Int64(life.every) == 0 ? nil : before &* 31 &+ Int64(life.option)
            }
            if let mark { record.add(number, mark: mark, salt: own.life(at: number).option) }
          }
        }
        records[reader.id] = record
      }
    }
    return records
  }

  /// How often each component may have started: once when it comes and once with each change of its own options or ring. A refused change may
  /// have started its new components, and the old ones again.
  var starts: [String: ClosedRange<Int>] {
    var bounds: [String: ClosedRange<Int>] = [:]
    var before: [String: String] = [:]
    for (place, desk) in desks.enumerated() {
      let now = desk.components
      for (id, options) in now where before[id] != options {
        let old = bounds[id] ?? 0...0
        bounds[id] = old.lowerBound + 1...old.upperBound + 1
      }
      before = now
      for case let (after, refused) in failed where after == place + 1 {
        for (id, options) in refused.components where now[id] != options {
          let old = bounds[id] ?? 0...0
          bounds[id] = old.lowerBound...old.upperBound + 2
        }
      }
    }
    return bounds
  }
}

extension Desk {
  /// The stages between the source and an output, first to last.
  func path(to output: String) -> [String] {
    guard let stage = stages.first(where: { $0.id == output }) else { return [] }
    return path(to: stage.input) + [output]
  }

  /// What a component's instance depends on. Its inputs are not part of it: a component that reads another one goes on.
  var components: [String: String] {
    var components = ["numbers": "", "cuts": "", stamp: "\(round)"]
    if hasTocks {
      components["tocks"] = ""
      components["tick"] = ""
    }
    for stage in stages { components[stage.id] = "\(stage.mark) \(stage.every) \(stage.capacity)" }
    for reader in allReaders { components[reader.id] = "\(reader.salt)" }
    return components
  }
}

/// The instances of a component, looked up by ascending numbers.
private struct Lives {
  private let lives: [Life]
  private var place = 0

  init(_ lives: [Life]?) { self.lives = lives ?? [Life(first: 0, option: -1, every: 0)] }

  mutating func life(at number: Int64) -> Life {
    while place + 1 < lives.count, lives[place + 1].first <= number { place += 1 }
    return lives[place]
  }
}
