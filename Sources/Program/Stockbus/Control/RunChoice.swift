import ArgumentParser
import LibC
import StockbusConfig
import StockbusControl
import StockbusFiles
import StockbusPlugin
import StockbusProgram
import StockbusRuntime

/// Which run a command is for.
struct RunChoice: ParsableArguments {
  @ArgumentParser.Option(
    name: .customLong("run"),
    help: "The run, by its name or process number; needed if there are several, unless one alone is of this folder.")
  var wanted: String?

  /// The chosen run. Ends the program with a message if the choice is ambiguous.
  ///
  /// - Parameter changes: whether the run is changed: in a folder with a configuration, a run of another one then has to be named.
  func find(changes: Bool = false) async throws -> (client: ControlClient, status: RunStatus) {
    // A number identifies a run, so there is no waiting for other runs.
    let number = wanted.flatMap { Int($0) }
    var runs = try await PresentRuns.all { number == nil || $0 == number }
    // No process with this number has a socket: the other runs are listed.
    if runs.isEmpty, number != nil { runs = try await PresentRuns.all() }
    do throws(RunMistake) {
      let hasOwn = changes && access(ConfigLoader.usual, F_OK) == 0
      let chosen = try Self.choose(wanted, of: runs, in: absolutePath("."), isOwn: hasOwn)
      if wanted == nil, runs.count > 1 {
        StandardError.write("\(chosen.status.name), process \(chosen.status.process): of several runs the one of this folder")
      }
      return chosen
    } catch {
      StandardError.write("Error: \(error.description)")
      throw ExitCode.failure
    }
  }

  /// Why no run was chosen.
  struct RunMistake: Error {
    let description: String
  }

  /// The run of this name or number. Without one it is the only run, or of several the only one whose configuration is in `folder`.
  ///
  /// - Parameter isOwn: whether a run that is not named has to be one of `folder`.
  static func choose(
    _ wanted: String?, of runs: [PresentRuns.Run], in folder: String = "", isOwn: Bool = false
  ) throws(RunMistake) -> (client: ControlClient, status: RunStatus) {
    var named = runs.filter { run in wanted.map { $0 == "\(run.process)" || $0 == run.status?.name } ?? true }
    if wanted == nil, named.count > 1 || isOwn {
      let near = named.filter { run in run.status?.configuration.contains { isIn(folder, $0) } ?? false }
      if near.count == 1 { named = near }
      if near.isEmpty, isOwn, !named.isEmpty { throw RunMistake(description: "no run is of this folder.\(list(named))") }
    }
    guard let run = named.first else {
      if runs.isEmpty { throw RunMistake(description: "there are no runs; '\(Program.name) run plugins.yaml' starts one") }
      throw RunMistake(description: "no run \(shown(wanted ?? "")).\(list(runs))")
    }
    if named.count > 1 { throw RunMistake(description: "which run?\(list(named))") }
    guard let status = run.status else {
      throw RunMistake(description: "process \(run.process) does not answer: \(run.failure ?? "")")
    }
    return (run.client, status)
  }

  /// True for a file that is directly in the folder, and for the folder itself.
  private static func isIn(_ folder: String, _ path: String) -> Bool {
    func plain(_ path: some StringProtocol) -> [Substring] { path.split(separator: "/").map { Substring($0) }.filter { $0 != "." } }
    let (folder, path) = (plain(folder), plain(path))
    return path == folder || path.dropLast() == folder[...]
  }

  /// What can be written for each of these runs, a line each: its name if no other has it, or the process number; then what it runs.
  private static func list(_ runs: [PresentRuns.Run]) -> String {
    let rows = runs.map { run in
      let name = run.status?.name
      let isUnique = runs.count { $0.status?.name == name } == 1
      let what = run.status?.configuration.joined(separator: " ") ?? "does not answer"
      return ["  --run \(isUnique ? name ?? "\(run.process)" : "\(run.process)")", "process \(run.process)", what]
    }
    return " Add one of these:\n" + StatusText.table(rows, numbers: []).joined(separator: "\n")
  }
}

/// The runs of the present user.
enum PresentRuns {
  struct Run: Sendable {
    let process: Int
    let client: ControlClient
    /// The status; nil if the run does not answer.
    let status: RunStatus?
    let failure: String?
  }

  /// Runs by their processes. Sockets of ended processes are removed. Ends the program with a message if there is no folder for sockets.
  static func all(where isMeant: (Int) -> Bool = { _ in true }) async throws -> [Run] {
    let folder: RunFolder
    do { folder = try RunFolder.own() } catch {
      StandardError.write("Error: \(error)")
      throw ExitCode.failure
    }
    let clock = SystemTimekeeper()
    return await withTaskGroup(of: Run?.self) { group in
      for (process, path) in folder.sockets where isMeant(process) {
        group.addTask {
          let client = ControlClient(socket: path, clock: clock)
          do throws(ControlClient.Failure) {
            return Run(process: process, client: client, status: try await client.status(), failure: nil)
          } catch {
            // A stopped process may also refuse connections, but keeps its socket.
            let isGone = error.isGone && kill(pid_t(process), 0) != 0 && errno == ESRCH
            guard isGone else { return Run(process: process, client: client, status: nil, failure: error.description) }
            unlink(path)
            return nil
          }
        }
      }
      var runs: [Run] = []
      for await run in group { if let run { runs.append(run) } }
      return runs.sorted { $0.process < $1.process }
    }
  }
}

extension ControlClient {
  /// Ends the program with a message if there is no answer.
  static func answer<A>(_ ask: () async throws(Failure) -> A) async throws -> A {
    do throws(Failure) { return try await ask() } catch {
      StandardError.write("Error: \(error)")
      throw ExitCode.failure
    }
  }
}
