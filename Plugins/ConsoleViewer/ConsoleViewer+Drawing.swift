internal import StockbusPlugin
internal import StockbusTerminal
internal import StockbusTrading
internal import StockbusViewing

extension ConsoleViewer {
  /// Draws while something changes; sleeps otherwise.
  package func background() async {
    guard mode != .plain else { return }
    await withDiscardingTaskGroup { group in
      var drawn = -1
      while !Task.isCancelled {
        takeInbox()
        for effect in takeEffects() { await carryOut(effect, in: &group) }
        if Task.isCancelled { break }
        drawn = state.changes
        let began = now
        if await !draw() { break }
        // Two frames are at least `refresh` apart, however many events come.
        do { try await context.clock.sleep(until: .nanoseconds(began + settings.refresh.wholeNanoseconds)) } catch { break }
        while !Task.isCancelled, inbox.isEmpty, effects.isEmpty, state.changes == drawn {
          let next = state.nextChange(steps: ScreenLayout.flashSteps(terminal.capabilities.colors))
          if let next, now >= next { break }
          await sleep(until: next)
        }
      }
      group.cancelAll()
    }
  }

  /// Sleeps until there is input, at the longest until `deadline`.
  private func sleep(until deadline: Int64?) async {
    isAsleep = true
    await bell.sleep(until: deadline.map { .nanoseconds($0) }, context.clock)
    isAsleep = false
  }

  private func takeInbox() {
    for item in inbox.takeAll() {
      switch item {
      case .reply(let text, let isError): effects += state.reduce(.reply(text, isError: isError))
      case .rules(let id, let own): effects += state.reduce(.rules(id, own))
      case .preview(let number, let text, let isError): effects += state.reduce(.preview(number, text, isError: isError))
      case .fills(let past): effects += state.reduce(.fills(past))
      case .page(let address): effects += state.reduce(.page(address))
      case .past(let request, let answer): effects += state.reduce(.past(request, answer))
      case .terminal(let input):
        switch input {
        case .key(let key): effects += state.reduce(.key(key))
        case .mouse(let mouse): effects += state.reduce(.mouse(mouse))
        case .panes(let panes): effects += state.reduce(.panes(panes))
        case .printed(let lines): effects += state.reduce(.printed(lines))
        // Without a terminal nothing can be shown any more, so the run is asked to stop gracefully.
        case .closed: context.run.stop()
        case .resized, .resumed: break
        }
      }
    }
  }

  private func takeEffects() -> [ScreenEffect] {
    defer { effects = [] }
    return effects
  }

  private func carryOut(_ effect: ScreenEffect, in group: inout DiscardingTaskGroup) async {
    let (run, inbox) = (context.run, inbox)
    switch effect {
    case .perform(let command, let id):
      group.addTask { await Self.reply(from: id, to: inbox) { () throws(CommandError) in try await run.perform(command, on: id) } }
    case .addRule(let rule, let id):
      group.addTask {
        await Self.reply(from: id, to: inbox) { () throws(CommandError) in
          try await run.door((any RuleDesk).self, of: id).add(rule).text
        }
      }
    case .removeRule(let name, let id):
      group.addTask {
        await Self.reply(from: id, to: inbox) { () throws(CommandError) in
          try await run.door((any RuleDesk).self, of: id).remove(RuleOwner(name: nil, title: name)).text
        }
      }
    case .preview(let command, let id, let number):
      group.addTask {
        do throws(CommandError) { inbox.add(.preview(number, try await run.perform(command, on: id), isError: false)) } catch {
          inbox.add(.preview(number, "\(error)", isError: true))
        }
      }
    case .askRules(let id):
      // A dispatcher that does not reply has no rules to show.
      group.addTask { inbox.add(.rules(id, await (try? run.door((any RuleDesk).self, of: id))?.rules() ?? [])) }
    case .askFills(let id):
      group.addTask { inbox.add(.fills(try? await run.door((any OrderDesk).self, of: id).fills(of: nil))) }
    case .askPage(let id, let known):
      group.addTask {
        let address = await (try? run.door((any PageDesk).self, of: id))?.pageAddress()
        if address != known { inbox.add(.page(address)) }
      }
    case .readPast(let request):
      guard let charts else { return }
      group.addTask { inbox.add(.past(request, await charts.read(request))) }
    case .stop:
      wasQuit = true
      run.stop()
      _ = state.reduce(.reply("stopping: sources end, the rest drains", isError: false))
    case .save:
      guard keepsWatchlist, let store else { return }
      let memory = ViewerMemory(watchlist: state.watchlist, alerts: state.alerts)
      group.addTask {
        do throws(CommandError) {
          if let aside = try await store.keep(memory) {
            inbox.add(.reply("the part that could not be read is kept as \(aside)", isError: false))
          }
        } catch { inbox.add(.reply("\(error)", isError: true)) }
      }
    case .ring: if settings.bell { try? await terminal.ring() }
    case .redraw: await terminal.redraw()
    }
  }

  private static func reply(
    from id: String, to inbox: ScreenInbox, _ ask: () async throws(CommandError) -> String
  ) async {
    do throws(CommandError) { inbox.add(.reply(try await ask(), isError: false)) } catch {
      inbox.add(.reply("\(id): \(error)", isError: true))
    }
  }

  /// Makes the next frame; returns false if it cannot be shown any more.
  @discardableResult
  func draw() async -> Bool {
    let size = terminal.size
    if size != state.size { effects += state.reduce(.resize(size)) }
    effects += state.reduce(.tick(now, wall: context.clock.now))
    if now >= lastSample &+ 500_000_000 {
      lastSample = now
      let lines = context.run.log(after: lastLogLine)
      lastLogLine = lines.last?.number ?? lastLogLine
      effects += state.reduce(.problems(context.run.problems))
      effects += state.reduce(.sample(context.run.components, context.run.edges, lines))
      if mode == .full, now >= lastRules &+ 2_000_000_000 {
        lastRules = now
        effects += state.run.components(offering: (any RuleDesk).self).map { .askRules($0.id) }
      }
    }
    let colors = terminal.capabilities.colors
    frames.add(1)
    do throws(TerminalError) {
      if mode == .full {
        try await terminal.present(ScreenLayout.frame(state, colors: colors), owner: context.id)
      } else {
        try await terminal.setBlock(InlineTable.lines(state, colors: colors), owner: context.id)
      }
      return true
    } catch {
      context.logger.error("\(error); the screen is no longer drawn")
      return false
    }
  }
}

/// The table as lines below what was printed before: without tabs, on the terminal's own background.
enum InlineTable {
  static func lines(_ state: ScreenState, colors: ColorDepth) -> [StyledLine] {
    var state = state
    // Leaves room below the table for other panes and for the shell's prompt.
    let rows = min(state.settings.rows ?? max(3, state.size.rows - 14), max(1, state.order.rows.count))
    state.panes = []
    state.page = .list
    state.prompt = nil
    state.tab = state.settings.showsWatchlist ? state.tabs.firstIndex(of: .watchlist) ?? 0 : 0
    state.selection = nil
    state.offset = 0
    state.size = TerminalSize(columns: state.size.columns, rows: rows + 3)
    state.arrange(force: true)
    let frame = ScreenLayout.frame(state, colors: colors)
    let theme = Theme.named(state.theme)
    return (1..<frame.rows).map { row in
      let line = frame.line(row: row)
      return StyledLine(
        line.runs.map { run in
          var style = run.style
          if style.background == theme.ground.color || style.background == theme.bar.color { style.background = nil }
          if style.foreground == theme.text.color { style.foreground = nil }
          return StyledLine.Run(run.text, style)
        })
    }
  }
}
