internal import StockbusPlugin

extension TopologyChecker {
  /// Up to six components that emit the same type, for suggestions.
  struct Emitters {
    let type: any Event.Type
    var ids: [String]
  }

  mutating func note(_ id: String, emits type: any Event.Type) {
    emitted[id] = type
    if let known = emitters.firstIndex(where: { $0.type == type }) {
      if emitters[known].ids.count < 6 { emitters[known].ids.append(id) }
    } else {
      emitters.append(Emitters(type: type, ids: [id]))
    }
  }

  /// An input with its event type.
  private struct Feed {
    let input: InputDescription
    let type: any Event.Type
  }

  /// The blueprint for the upstream types; if they do not fit, a problem is reported and nil returned.
  mutating func blueprint(_ plugin: Plugin, _ component: ComponentDescription) -> Blueprint? {
    if let first = component.inputs.first, !plugin.takesInputs {
      config.report("\(component.title): plugin '\(plugin.name)' takes no inputs", at: first.mark)
      return nil
    }
    if component.inputs.isEmpty, plugin.takesInputs { return nil }
    var feeds: [Feed] = []
    var areFitting = true
    for input in component.inputs {
      guard let type = emitted[input.from] else {
        areFitting = false
        continue
      }
      let feed = Feed(input: input, type: type)
      feeds.append(feed)
      if !plugin.fits(type) {
        areFitting = false
        reportMismatch(accepted(by: plugin), feed, component) { plugin.fits($0) }
      }
    }
    if let blueprint = plugin.blueprint(for: feeds.map(\.type), options: component.options), areFitting {
      return check(feeds, blueprint, component) ? blueprint : nil
    }
    // Each type alone is accepted, but not several together.
    if areFitting, let first = feeds.first, let other = feeds.first(where: { $0.type != first.type }) {
      config.report(
        "\(component.title) reads events of only one type, but its input \(shown(first.input.from)) emits "
          + "\(first.type.eventName) and \(shown(other.input.from)) emits \(other.type.eventName)", at: other.input.mark)
    }
    return nil
  }

  /// Checks the inputs against a blueprint that an option has chosen, which accepts only its own types.
  private mutating func check(_ feeds: [Feed], _ blueprint: Blueprint, _ component: ComponentDescription) -> Bool {
    let takes = { (type: any Event.Type) -> Bool in blueprint.inputs.contains { $0 == type } }
    let wrong = feeds.filter { !takes($0.type) }
    let accepted = "only \(blueprint.inputs.map { $0.eventName }.joined(separator: ", ")) with these options"
    for feed in wrong { reportMismatch(accepted, feed, component, wouldFit: takes) }
    return wrong.isEmpty
  }

  private mutating func reportMismatch(
    _ accepted: String, _ feed: Feed, _ component: ComponentDescription, wouldFit: (any Event.Type) -> Bool
  ) {
    let taken = Set(component.inputs.map(\.from) + [component.id])
    var names: [String] = []
    for emitter in emitters where wouldFit(emitter.type) {
      for id in emitter.ids where !taken.contains(id) && names.count < 5 {
        names.append("\(shown(id)) (\(emitter.type.eventName))")
        // Reported as a mistake already, so it is not reported as unread too.
        excused.insert(id)
      }
    }
    config.report(
      "\(component.title) reads \(accepted), but its input \(shown(feed.input.from)) emits \(feed.type.eventName)"
        + (names.isEmpty ? "" : "; \(names.joined(separator: ", ")) would fit"), at: feed.input.mark)
  }

  /// The event types that a plugin takes; if it takes any event with some property, also the names of those that have it.
  private func accepted(by plugin: Plugin) -> String {
    if case .types = plugin.accepts { return plugin.acceptedTypes }
    let names = catalogue.events.filter { plugin.fits($0) }.map { $0.eventName }
    return plugin.acceptedTypes + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
  }

  private static func hasKinds<E: Event>(_: E.Type) -> Bool { E.schema.hasKinds }

  /// Checks that conflation and `initial` are only used with events of which the last ones can be kept.
  mutating func checkEdge(_ edge: EdgeSettings, _ input: InputDescription, _ component: ComponentDescription) {
    guard let type = emitted[input.from], !Self.hasKinds(type), case .map(let entries) = input.edge?.value else { return }
    let wishes = (edge.overflow == .conflate ? ["overflow: conflate"] : []) + (edge.initial ? ["initial: true"] : [])
    for wish in wishes {
      let mark = entries.first { wish.hasPrefix($0.key) }?.mark ?? input.mark
      config.report(
        "\(component.title): '\(wish)' needs events about a symbol, but its input \(shown(input.from)) emits \(type.eventName)", at: mark)
    }
  }
}
