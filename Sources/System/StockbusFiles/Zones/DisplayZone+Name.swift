package import StockbusPlugin

extension DisplayZone {
  /// The zone with a name of the IANA database. Throws if there is none, or its file cannot be read.
  package init(named name: String) throws(ZoneProblem) {
    let rules = try ZoneRules(name)
    self.init(name: name) { rules.offset(at: $0) }
  }
}
