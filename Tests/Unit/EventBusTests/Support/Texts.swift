import EventBus
import MarketData

/// The event decoded from the whole of `text`.
func decodeJSON<E: Event>(_: E.Type, _ text: String) throws -> E {
  var text = text
  return try text.withUTF8 { bytes in
    var reader = ByteReader(bytes)
    let event = try E.schema.decodeJSON(&reader)
    try reader.expectEnd()
    return event
  }
}

func decodeCSV<E: Event>(_: E.Type, _ text: String) throws -> E {
  var text = text
  return try text.withUTF8 { bytes in
    var reader = ByteReader(bytes)
    let event = try E.schema.decodeCSV(&reader)
    try reader.expectEnd()
    return event
  }
}

func csv<E: Event>(_ event: E, times: TimeStyle = .iso8601(.shortest)) -> String {
  var out = ByteWriter(capacity: 8)
  E.schema.encodeCSV(event, times: times, to: &out)
  return out.string
}

func json<E: Event>(_ event: E, times: TimeStyle = .iso8601(.shortest)) -> String {
  var out = ByteWriter(capacity: 8)
  E.schema.encodeJSON(event, times: times, to: &out)
  return out.string
}

/// The error of decoding `text`; nil if there is none.
func jsonProblem<E: Event>(_: E.Type, _ text: String) -> String? {
  do {
    _ = try decodeJSON(E.self, text)
    return nil
  } catch { return "\(error)" }
}

func csvProblem<E: Event>(_: E.Type, _ text: String) -> String? {
  do {
    _ = try decodeCSV(E.self, text)
    return nil
  } catch { return "\(error)" }
}
