package import StockbusPlugin
internal import StockbusText

/// The body of a request that tells a component something: `{"line":"raise AAPL 10"}`.
package struct CommandForm: Decodable {
  private let line: String

  /// Carries the command out, and answers with the component's reply or with why there is none.
  package static func answer(
    _ request: WebRequest, _ perform: (Command) async throws(CommandError) -> String
  ) async -> WebResponse {
    guard let form = JSONDocument.read(CommandForm.self, request.body), form.line.utf8.count <= 4096 else {
      return .error(400, "bad_request", "the body must be {\"line\":\"VERB WORDS\"}")
    }
    guard let command = Command(line: form.line) else { return .error(400, "bad_request", "the line is empty") }
    return await .reply { () throws(CommandError) in try await perform(command) }
  }
}

extension WebResponse {
  /// The response to what cannot be done at present, and was not done.
  package static func busy(_ reason: String) -> WebResponse { .error(503, "busy", reason).with("retry-after", "1") }

  /// A component's reply to a command, or why there is none.
  package static func reply(_ perform: () async throws(CommandError) -> String) async -> WebResponse {
    do throws(CommandError) { return .json(["reply": .string(try await perform())]) } catch {
      switch error {
      case .unknownComponent: return .error(404, "unknown_component", "\(error)")
      case .unknownCommand, .takesNoCommands, .offersNo: return .error(422, "unknown_command", "\(error)")
      case .notRunning, .runIsOver: return .error(503, "not_running", "\(error)")
      case .busy: return .busy("\(error)")
      case .refused: return .error(422, "refused", "\(error)")
      }
    }
  }
}
