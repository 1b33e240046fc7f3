import StockbusTestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct ContractTests {
  /// This time passes only if a life does not end, which these tests cause on purpose.
  static let timeout = Duration.milliseconds(200)

  @Test func `declarations`() async {
    let violations = await checkContract(.badlyDeclared)
    #expect(
      violations == [
        "The plugin's name 'BadPlugin' is not in snake_case.",
        "The plugin's description is not a sentence with a full stop: 'no sentence'.",
        "Options: 'fourth': a property of options must have @Setting.",
        "Options: 'first': its description is not a sentence: 'No full stop'.",
        "Options: its default cannot be written: 'third' must be between 1 and 5, got 9.",
        "Options: 'inputs': this name is reserved.",
        "Event 'badEvent': its name is not in snake_case.",
        "Event 'badEvent': its description is not a sentence with a full stop.",
        "Event 'badEvent': the field 'Name' is not in snake_case.",
        "Event 'badEvent': the description of 'count' is not a sentence with a full stop.",
        "Event 'badEvent': its property 'forgotten' is not declared.",
      ])
  }

  @Test func `an event type that does not read what it writes`() async {
    let violations = await checkContract(.lopsided)
    #expect(
      violations == [
        #"Event 'lopsided': its example as JSON is read back differently: {"count":1,"time":"1970-01-01T00:00:00Z"} "#
          + #"becomes {"count":2,"time":"1970-01-01T00:00:00Z"}."#,
        "Event 'lopsided': its example as CSV is read back differently: 1,1970-01-01T00:00:00Z becomes 2,1970-01-01T00:00:00Z.",
      ])
  }

  @Test func `output without input`() async {
    let violations = await checkContract(.inventor)
    #expect(violations.count == 1)
    #expect(violations.first?.hasPrefix(#"It emits 1 events though none came in, such as {"symbol":"AAPL","#) == true)
  }

  @Test func `a drain that does not end`() async {
    let violations = await checkContract(.hanger, timeout: Self.timeout)
    #expect(violations == ["Without any events it does not end."])
  }

  @Test func `a file that is written also without effects`() async {
    let violations = await checkContract(.scribbler)
    #expect(violations == ["Settings without effects still write 'notes.txt'."])
  }

  @Test func `a failure with allowed events`() async {
    let violations = await checkContract(.faller)
    #expect(violations == ["When its inputs have ended it fails: oh."])
  }

  @Test func `the same seed and another output`() async {
    let violations = await checkContract(.gambler)
    #expect(violations.count == 1)
    #expect(violations.first?.hasPrefix("The same seed gives a different output: event 1 is {") == true)
    let others = await checkContract(.gambler, isDeterministic: false)
    #expect(others == [])
  }

  @Test func `a source that does not hear of its cancellation`() async {
    let violations = await checkContract(.deaf, timeout: Self.timeout)
    #expect(violations == ["When it is stopped it does not end."])
  }

  @Test func `a life that leaves nothing for the next`() async {
    let violations = await checkContract(.onlyOnce)
    #expect(violations == ["A second instance fails although the first one did not: oh."])
  }

  @Test func `doors are declared once, and open`() async {
    #expect(await checkContract(.doubleDoors) == ["It declares the door 'Bell' twice."])
    #expect(await checkContract(.fickle) == ["A door does not open while it runs: 'contract' offers no Bell."])
  }

  @Test func `options that are not allowed`() async {
    let violations = await checkContract(.badlyDeclared, options: "third: 7\nfirts: 1")
    #expect(
      violations.suffix(2) == [
        "The options are not allowed: options.yaml:1:8: error: 'third' must be between 1 and 5, got 7.",
        "The options are not allowed: options.yaml:2:1: error: unknown option 'firts'; did you mean 'first'?.",
      ])
    let others = await checkContract(.hanger, options: "{ a: 1")
    #expect(others.last?.hasPrefix("The options are not allowed: options.yaml:") == true)
  }

  @Test func `inputs that it does not take`() async {
    let violations = await checkContract(.hanger, inputs: [Feed([Quote.schema.example])])
    #expect(violations == ["It does not take these inputs (quote)."])
  }
}
