import StockbusPlugin
import Testing

private final class Bulletin: Service {
  static let fallback = Bulletin("nobody's")
  let name: String
  init(_ name: String) { self.name = name }
}

private struct Door: Service {
  static var fallback: Door { Door(isOpen: false) }
  var isOpen: Bool
}

@Suite struct ServicesTests {
  @Test func `what nobody has provided is the type's fallback`() {
    #expect(Services()[Bulletin.self] === Bulletin.fallback)
    #expect(!Services(Bulletin("ours"))[Door.self].isOpen)
    #expect(context().services[Bulletin.self].name == "nobody's")
  }

  @Test func `a component finds what was provided, each by its type, the last one of a type`() {
    let services = Services(Bulletin("first"), Door(isOpen: true), Bulletin("second"))
    var shared = Context.Shared(
      clock: NoTime(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, seed: 42, notices: LetterBox())
    shared.services = services
    let context = Context(id: "it", shared)
    #expect(context.services[Bulletin.self].name == "second")
    #expect(context.services[Door.self].isOpen)
  }
}
