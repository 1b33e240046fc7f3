internal import StockbusPlugin
package import StockbusSystem

/// Notifies the service manager of a run: of its start, changes and stop, with its status in one line.
package final class ServiceNotices: Sendable {
  package typealias Tell = @Sendable (ServiceManager.Notice?, _ status: String?) -> Void

  private struct State {
    /// True from the start to the stop.
    var isReady = false
    /// Changes in progress.
    var changes = 0
    /// The last status.
    var status = ""
  }

  private let pipeline: Pipeline
  private let notify: Tell
  // Notifications are sent under the lock, so that they arrive in order.
  private let state = Guarded(State())

  package init(_ pipeline: Pipeline, _ notify: @escaping Tell) {
    self.pipeline = pipeline
    self.notify = notify
  }

  /// Sends a notification of the start, then of each new status, and finally of the stop or the end.
  package func run() async {
    await pipeline.waitForStart()
    // A run that ends because a component has not started counts as not started. All other runs are reported as ready, however short: a
    // service that ends without having been ready counts as failed.
    if !pipeline.isStopping || !pipeline.health.contains(where: { $0.state == .failed }) { begin() }
    async let _ = watch()
    await pipeline.waitForStop()
    end()
  }

  /// A change of the run begins; `changeEnds` follows.
  func changeBegins() {
    state.withLock { state in
      state.changes += 1
      if state.isReady, state.changes == 1 { notify(.reloading, nil) }
    }
  }

  func changeEnds() {
    state.withLock { state in
      state.changes -= 1
      if state.isReady, state.changes == 0 { notify(.ready, &state) }
    }
  }

  private func begin() {
    state.withLock { state in
      state.isReady = true
      notify(.ready, &state)
    }
  }

  private func end() {
    state.withLock { state in
      state.isReady = false
      notify(.stopping, &state)
    }
  }

  /// A component can fail at any time without a signal to wait for: a check every few seconds is enough.
  private func watch() async {
    while (try? await pipeline.clock.sleep(for: .seconds(5))) != nil {
      state.withLock { state in
        if state.isReady, status != state.status { notify(nil, &state) }
      }
    }
  }

  private func notify(_ notice: ServiceManager.Notice?, _ state: inout State) {
    state.status = status
    notify(notice, state.status)
  }

  /// `3 components, ready`, or why the run is not ready.
  private var status: String {
    let health = pipeline.health
    let reasons = pipeline.reasons(health)
    let count = health.count == 1 ? "1 component" : "\(health.count) components"
    return "\(count), \(reasons.isEmpty ? "ready" : reasons.joined(separator: "; "))"
  }
}
