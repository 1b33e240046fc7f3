import StockbusSystem
import StockbusTestKit
import Testing

@testable import StockbusProcesses

/// Programs beside this process: how they begin and end.
@Suite(.timeLimit(.minutes(15))) struct ChildProgramTests {
  private let folder = TemporaryFolder()

  private func launch(_ script: String, _ limits: ProgramLaunch.Limits = ProgramLaunch.Limits()) -> ProgramLaunch {
    folder.put(script, in: "script")
    return ProgramLaunch("/bin/sh", [folder.file("script")], environment: ["PATH": "/usr/bin:/bin"], limits: limits)
  }

  /// Everything that a program writes, until it has ended.
  private func text(of pipe: FileDescriptor) async throws -> String {
    var bytes: [UInt8] = []
    while true {
      do {
        let piece = try [UInt8](unsafeUninitializedCapacity: 4096) { $1 = try pipe.read(into: UnsafeMutableRawBufferPointer($0)) }
        if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece
      } catch Errno.resourceTemporarilyUnavailable { await Task.yield() }
    }
  }

  @Test func `its streams are pipes, and its end is told`() async throws {
    let child = try await ChildProgram.start(launch("read line; echo \"got $line\"; echo oops >&2; exit 4"))
    let bytes = Array("hello\n".utf8)
    _ = try bytes.withUnsafeBytes { try child.input.write($0) }
    #expect(try await text(of: child.output) == "got hello\n")
    #expect(try await text(of: child.errors) == "oops\n")
    #expect(await child.ended() == .exited(4))
    child.close()
  }

  @Test func `it is killed with what it has started`() async throws {
    let child = try await ChildProgram.start(launch("sleep 1000 & echo begun; wait"))
    var seen: [UInt8] = []
    while seen.isEmpty {
      seen = (try? [UInt8](unsafeUninitializedCapacity: 64) { $1 = try child.output.read(into: UnsafeMutableRawBufferPointer($0)) }) ?? []
      await Task.yield()
    }
    child.kill()
    #expect(await child.ended() == .killed(signal: 9))
    // The end of the pipe: no process is left that could write into it.
    #expect(try await text(of: child.output) == "")
    // Its number may be another process's by now.
    child.kill()
    child.close()
  }

  @Test func `it is killed once it is late, though its end is waited for already`() async throws {
    let child = try await ChildProgram.start(launch("exec sleep 1000"))
    async let end = child.ended()
    #expect(await child.ended { true } == .killed(signal: 9))
    #expect(await end == .killed(signal: 9))
    #expect(child.wasKilled)
    child.close()
  }

  @Test func `it can be killed while its end is waited for`() async throws {
    let child = try await ChildProgram.start(launch("exec sleep 1000"))
    async let end = child.ended()
    await Task.yield()
    child.kill()
    #expect(await end == .killed(signal: 9))
    child.close()
  }

  /// Starts a process in its own session, a daemon in another one, which belongs to nobody, and one beside them; all hold the output.
  private static let family = "sleep 1000 & setsid sleep 1000 & setsid sh -c 'sleep 1000 &'; echo begun"

  @Test func `what it has started ends with it when it ends by itself, also in other sessions`() async throws {
    let child = try await ChildProgram.start(launch(Self.family + "; exit 3"))
    #expect(await child.ended() == .exited(3))
    #if os(Linux)
    // The end of the pipe: no process is left that could write into it.
    #expect(try await text(of: child.output) == "begun\n")
    #endif
    child.close()
  }

  @Test func `what it has started ends when this process does, also in other sessions`() async throws {
    let lifeline = Lifeline()
    let child = try await ChildProgram.start(launch(Self.family + "; exec sleep 1000"), lifeline: lifeline)
    var seen: [UInt8] = []
    while seen.isEmpty {
      seen = (try? [UInt8](unsafeUninitializedCapacity: 64) { $1 = try child.output.read(into: UnsafeMutableRawBufferPointer($0)) }) ?? []
      await Task.yield()
    }
    lifeline.cut()
    #if os(Linux)
    #expect(try await text(of: child.output) == "")
    #endif
    #expect(await child.ended() == .killed(signal: 9))
    child.close()
  }

  @Test func `it ends when this process does`() async throws {
    let lifeline = Lifeline()
    let child = try await ChildProgram.start(launch("trap '' TERM HUP; echo begun; while :; do sleep 1000; done"), lifeline: lifeline)
    var seen: [UInt8] = []
    while seen.isEmpty {
      seen = (try? [UInt8](unsafeUninitializedCapacity: 64) { $1 = try child.output.read(into: UnsafeMutableRawBufferPointer($0)) }) ?? []
      await Task.yield()
    }
    // Does what the kernel does with the pipe when a process is killed.
    lifeline.cut()
    #expect(try await text(of: child.output) == "")
    #expect(await child.ended() == .killed(signal: 9))
    child.close()
  }

  @Test func `what cannot be started says so`() async throws {
    folder.put("not a program", in: "text")
    await #expect(throws: ChildProgram.StartError(description: "is not an executable program")) {
      _ = try await ChildProgram.start(ProgramLaunch(folder.file("text"), [], environment: [:]))
    }
  }
}
