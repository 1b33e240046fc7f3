import StockbusFiles
import StockbusTestKit
import Testing

/// The state of a component whose storage refuses data, whatever its attempts meet.
@Suite struct PatientWritingTests {
  private struct Refusal: Error, CustomStringConvertible { let description: String }

  private let harness = PluginHarness()

  @Test func `an attempt that fails while another one succeeds is the newer one`() async throws {
    let writing = PatientWriting(.seconds(10), harness.context)
    writing.failed("the disk is full", mayPass: true)
    try await writing.insist(mayPass: { (_: Refusal) in true }) { () async throws(Refusal) in
      // What a command meets between the end of the attempt and the next step of the actor.
      writing.failed("the file was removed", mayPass: true)
    }
    #expect(writing.trouble == "the file was removed" && harness.trouble == "the file was removed")
    #expect(harness.log.texts(.notice).isEmpty)
    harness.clock.advance(by: .seconds(2))
    try await writing.insist(mayPass: { (_: Refusal) in true }) { () async throws(Refusal) in }
    #expect(writing.trouble == nil && harness.trouble == nil)
    #expect(harness.log.texts(.notice) == ["notice plugin: writing works again, after 2s"])
  }
}
