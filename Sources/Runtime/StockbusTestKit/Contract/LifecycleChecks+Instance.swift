internal import StockbusPlugin

extension LifecycleChecks {
  private static var slices: Int { 200 }

  /// Runs one instance while the clock advances by itself. It is cancelled when `until` returns; without `until` it must end by itself.
  ///
  /// With `handsOver` it is asked to make room for another instance: with inputs as soon as it has started, a source when it is cancelled.
  func live(
    _ subject: Subject, isLast: Bool = true, handsOver: Bool = false, until: (@Sendable () async -> Void)? = nil
  ) async -> Ending {
    let slot = subject.component.slot
    let ending = Watched<Ending?>(nil)
    func end(_ how: Ending) { ending.update { if $0 == nil { $0 = how } } }
    let subscription = subject.component.subscribeToJSON { line, receipt in
      subject.output.update { $0.append(line) }
      subject.receipts.update { $0.append(receipt) }
    }
    slot.whenStarted { [doors] in
      for door in doors {
        do throws(CommandError) { _ = try slot.offer(door) } catch { subject.closedDoors.update { $0.append(error) } }
      }
      if handsOver, until == nil { slot.quiesce() }
    }
    // Unstructured, because an instance that does not end must not block the caller; it is then abandoned.
    let life = Task {
      do {
        end(try await subject.component.live() == .handedOver ? .handedOver : .returned)
      } catch is CancellationError {
        end(.cancelled)
      } catch {
        end(.threw("\(error)"))
      }
    }
    let slice = timeout / Self.slices
    let watch = Task {
      // In slices with yields between, so that on a busy machine the limit is longer.
      for _ in 0..<Self.slices {
        do { try await Task.sleep(for: slice) } catch { return }
        for _ in 0..<20 { await Task.yield() }
      }
      end(.late)
      slot.cutOff()
      life.cancel()
    }
    let stop = until.map { until in
      Task {
        await until()
        if handsOver { slot.quiesce() }
        life.cancel()
      }
    }
    await subject.harness.clock.running(within: jumps) { await ending.wait { $0 != nil } }
    watch.cancel()
    stop?.cancel()
    guard let how = ending.value, how != .late else { return .late }
    if how == .handedOver {
      slot.resume()
      do throws(HarnessError) { try slot.context.memory.write() } catch { return .threw(error.description) }
    }
    if isLast || how == .returned { slot.retire() } else { subscription?.cancel() }
    await subscription?.finished()
    return how
  }
}
