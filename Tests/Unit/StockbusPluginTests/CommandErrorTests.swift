import StockbusPlugin
import Testing

@Suite struct CommandErrorTests {
  @Test func `each case says in one sentence what is wrong`() {
    let texts: [(CommandError, String)] = [
      (.refused("'say' needs a word"), "'say' needs a word"),
      (.unknownComponent("ticks"), "no component 'ticks'"),
      (.unknownComponent("tiks", among: ["end", "ticks"]), "no component 'tiks'; did you mean 'ticks'?"),
      (.unknownCommand("zzz", known: ["say", "sing"]), "unknown command 'zzz'; known are say, sing"),
      (.takesNoCommands("end"), "'end' takes no commands"),
      (.offersNo("end", door: "OrderDesk"), "'end' offers no OrderDesk"),
      (.notRunning("end"), "'end' is not running"),
      (.runIsOver, "the run is over"),
    ]
    for (error, text) in texts { #expect(error.description == text) }
  }

  @Test func `a component's refusal is one, whatever it says`() {
    let error = CommandError("'end' is not running")
    #expect(error == .refused("'end' is not running") && error != .notRunning("end"))
    #expect(error.description == CommandError.notRunning("end").description)
  }
}
