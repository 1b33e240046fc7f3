import StockbusConfig
import StockbusPlugin

extension Topology {
  /// Which components add columns, and where columns end, one line each; empty without columns.
  func columnLines() -> [String] {
    let columns = Dictionary(nodes.map { ($0.id, $0.topic.columns.names) }) { first, _ in first }
    return nodes.compactMap { node in
      guard let output = node.blueprint.output else { return nil }
      let (own, read) = (node.topic.columns.names, node.assembly.reads.names)
      let added = own.filter { !read.contains($0) }
      if !added.isEmpty { return "columns: \(shown(node.id)) adds \(listed(added))" }
      if read.isEmpty || !own.isEmpty { return nil }
      let inputs = node.inputs.map(\.from).filter { !(columns[$0] ?? []).isEmpty }.map { shown($0) }
      return "columns: those of \(listed(inputs)) end at \(shown(node.id)), which makes \(output.eventName) events of its own"
    }
  }
}
