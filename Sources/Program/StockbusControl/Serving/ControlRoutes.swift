internal import StockbusPlugin
internal import StockbusRuntime
internal import StockbusText
internal import StockbusWeb

/// The routes of a run's control: clients inspect, command, change and stop the run here. Documentation/use/control.md describes them.
struct ControlRoutes: Sendable {
  let control: RunControl
  /// The guards that decide which requests are accepted.
  let guards: [WebGuard]

  var routes: WebRoutes {
    var routes = WebRoutes()
    look(&routes)
    change(&routes)
    return routes
  }

  private func look(_ routes: inout WebRoutes) {
    let control = control
    routes.add(.get, "/livez", guards: guards) { _ in .text("alive\n") }
    routes.add(.get, "/readyz", guards: guards) { _ in
      let reasons = control.reasons
      return reasons.isEmpty ? .text("ready\n") : WebResponse.text(reasons.joined(separator: "\n") + "\n").answering(503)
    }
    routes.add(.get, "/status", guards: guards) { _ in .json(text: JSONDocument.text(control.status)) }
    routes.add(.get, "/topology", guards: guards) { _ in .json(text: JSONDocument.text(WiringReport(control.pipeline.topology))) }
    routes.add(.get, "/components/:id", guards: guards) { request in
      let id = request.parameters["id"] ?? ""
      guard let report = control.component(id) else { return .error(404, "unknown_component", "there is no component \(shown(id))") }
      return .json(text: JSONDocument.text(report))
    }
    routes.add(.get, "/components/:id/tap", guards: guards) { request in
      let id = request.parameters["id"] ?? ""
      guard let topic = control.pipeline.topic(id) else {
        guard control.component(id) == nil else { return .error(422, "sink", "\(shown(id)) is a sink and emits nothing") }
        return .error(404, "unknown_component", "there is no component \(shown(id))")
      }
      do throws(TapRequest.Mistake) { return try Tap(topic, TapRequest(request.target), clock: control.pipeline.clock).response } catch {
        return .error(422, error.code, error.message)
      }
    }
    routes.add(.get, "/symbols/:symbol/why", guards: guards) { request in
      let name = request.parameters["symbol"] ?? ""
      guard let duration = WatchTime.why.read(request.target["for"] ?? "2s") else {
        return .error(422, "for", "'for' \(WatchTime.why.usage)")
      }
      guard let symbol = Symbol(known: name) else {
        let other = name.uppercased() == name ? name.lowercased() : name.uppercased()
        let hint = Symbol(known: other) == nil ? "" : "; did you mean \(shown(other))?"
        return .error(404, "unknown_symbol", "no component has received the symbol \(shown(name))\(hint)")
      }
      do throws(CancellationError) {
        guard let report = try await control.why(symbol, for: duration) else {
          return .error(503, "busy", "\(RunControl.inquiryLimit) other requests about symbols are in progress; try again in a moment")
        }
        return .json(text: JSONDocument.text(report))
      } catch { return .error(503, "cut_off", "the run is ending") }
    }
    routes.add(.get, "/metrics", guards: guards) { request in
      let form = Metrics.Form(accepting: request.fields["accept"] ?? "")
      return WebResponse(200, body: Array(Metrics(control).text(form).utf8), type: form.type)
    }
  }

  private func change(_ routes: inout WebRoutes) {
    let control = control
    let guards = guards + [.json]
    routes.add(.post, "/components/:id/commands", guards: guards) { request in
      let id = request.parameters["id"] ?? ""
      return await CommandForm.answer(request) { command throws(CommandError) in try await control.pipeline.perform(command, on: id) }
    }
    routes.add(.post, "/plan", guards: guards) { request in
      guard let form = Self.form(request) else { return Self.noForm }
      return Self.response(await control.reload.plan(form.configuration))
    }
    routes.add(.post, "/apply", guards: guards) { request in
      guard let form = Self.form(request), let paths = form.configuration else { return Self.noForm }
      return Self.response(await control.reload.apply(paths))
    }
    routes.add(.post, "/reload", guards: guards) { _ in Self.response(await control.reload.apply(nil)) }
    routes.add(.post, "/stop", guards: guards) { _ in
      guard let report = await control.stop() else { return .error(503, "cut_off", "the run was cut off before it ended") }
      return .json(text: JSONDocument.text(report))
    }
  }

  private static func form(_ request: WebRequest) -> ChangeForm? {
    if request.body.isEmpty { return ChangeForm() }
    guard let form = JSONDocument.read(ChangeForm.self, request.body) else { return nil }
    let isSound = form.configuration.map { !$0.isEmpty && $0.count <= 100 && !$0.contains("") } ?? true
    return isSound ? form : nil
  }

  private static let noForm = WebResponse.error(400, "bad_request", "the body must be {\"configuration\":[\"/PATH/OF/A.yaml\"]}")

  private static func response(_ report: ChangeReport) -> WebResponse {
    let status =
      switch report.outcome {
      case .planned, .done: 200
      case .invalid: 422
      case .refused: 409
      }
    return .json(text: JSONDocument.text(report), status: status)
  }
}

/// The body of a request for a plan or a change.
struct ChangeForm: Codable, Sendable, Hashable {
  /// The files and folders of another configuration, as the run's process finds them; nil for the run's own.
  var configuration: [String]?

  init(configuration: [String]? = nil) { self.configuration = configuration }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    // An explicit null is an error, and does not mean the run's own configuration.
    configuration = values.contains(.configuration) ? try values.decode([String].self, forKey: .configuration) : nil
  }
}

extension WebResponse {
  fileprivate func answering(_ status: Int) -> WebResponse {
    var response = self
    response.status = status
    return response
  }
}
