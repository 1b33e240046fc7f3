internal import StockbusPlugin

/// Keys of a component that belong to the runtime.
let reservedOptions = ["plugin", "inputs", "merge", "supervision", "output"]

/// What is wrong with a plugin's name, description, options and commands.
func declarationFaults(of plugin: Plugin) -> [String] {
  var faults: [String] = []
  if !isSnakeCase(plugin.name) { faults.append("The plugin's name '\(plugin.name)' is not in snake_case.") }
  if !isSentence(plugin.doc) { faults.append("The plugin's description is not a sentence with a full stop: '\(plugin.doc)'.") }
  // A rule that the defaults violate is not an error here, such as one that requires one of two options: decoding the given options checks
  // it.
  let isRule = { (fault: String) in fault.hasPrefix("the defaults are not allowed:") }
  faults += plugin.options.verify(reserved: reservedOptions).filter { !isRule($0) }.map { "Options: \($0)." }
  for command in plugin.commands {
    if !isSnakeCase(command.verb) { faults.append("The command '\(command.verb)' is not in snake_case.") }
    if !isSentence(command.doc) { faults.append("The description of the command '\(command.verb)' is not a sentence with a full stop.") }
  }
  return faults
}

/// Doors of one type, of which all but the first would lead nowhere.
func doorFaults(of blueprint: Blueprint) -> [String] {
  var seen: Set<DoorID> = []
  return blueprint.doors.filter { !seen.insert($0).inserted }.map { "It declares the door '\($0)' twice." }
}

/// What is wrong with the event types that a plugin takes and emits.
func schemaFaults(of plugin: Plugin, _ blueprint: Blueprint) -> [String] {
  var types: [any Event.Type] = blueprint.inputs + (blueprint.output.map { [$0] } ?? [])
  if case .types(let more) = plugin.accepts { types += more }
  var seen: Set<ObjectIdentifier> = []
  return types.filter { seen.insert(ObjectIdentifier($0)).inserted }.flatMap { schemaFaults($0) }
}

private func schemaFaults<E: Event>(_: E.Type) -> [String] {
  let schema = E.schema
  var faults: [String] = []
  let title = "Event '\(schema.name)'"
  if !isSnakeCase(schema.name) { faults.append("\(title): its name is not in snake_case.") }
  if !isSentence(schema.doc) { faults.append("\(title): its description is not a sentence with a full stop.") }
  if schema.fields.isEmpty { faults.append("\(title): it declares no fields.") }
  for field in schema.fields {
    if !isSnakeCase(field.name) { faults.append("\(title): the field '\(field.name)' is not in snake_case.") }
    if !isSentence(field.doc) { faults.append("\(title): the description of '\(field.name)' is not a sentence with a full stop.") }
  }
  for property in schema.undeclaredProperties() { faults.append("\(title): its property '\(property)' is not declared.") }
  let json = schema.json(schema.example)
  let again = decoded(json) { reader throws(TextError) in try schema.decodeJSON(&reader) }.map { schema.json($0) }
  faults += roundTripFault("\(title): its example as JSON", json, again)
  let csv = csv(schema.example)
  let csvAgain = decoded(csv) { reader throws(TextError) in try schema.decodeCSV(&reader) }.map { StockbusTestKit.csv($0) }
  return faults + roundTripFault("\(title): its example as CSV", csv, csvAgain)
}

private func csv<E: Event>(_ event: E) -> String {
  var out = ByteWriter()
  E.schema.encodeCSV(event, to: &out)
  return out.string
}

private func roundTripFault(_ what: String, _ written: String, _ again: Result<String, TextError>) -> [String] {
  switch again {
  case .success(written): []
  case .success(let other): ["\(what) is read back differently: \(written) becomes \(other)."]
  case .failure(let error): ["\(what) cannot be read back: \(error): \(written)."]
  }
}

private func decoded<E: Event>(
  _ text: String, _ decode: (inout ByteReader) throws(TextError) -> E
) -> Result<E, TextError> {
  var text = text
  return text.withUTF8 { bytes in
    var reader = ByteReader(bytes)
    do throws(TextError) { return .success(try decode(&reader)) } catch { return .failure(error) }
  }
}

/// True for letters, digits and single underscores, with a letter first.
func isSnakeCase(_ name: String) -> Bool {
  guard let first = name.utf8.first, (97...122).contains(first), name.last != "_", !name.contains("__") else { return false }
  return name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
}

/// True for one line that ends with a full stop.
func isSentence(_ text: String) -> Bool { text.count > 1 && text.last == "." && !text.contains(where: \.isNewline) }
