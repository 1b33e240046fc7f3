import StockbusDecoding
import Testing

@Suite struct JSONGrammarTests {
  @Test(arguments: ["{}", "[1,2.5e-3,null]", "\"ä\"", "0", " true ", #"{"a":{"b":[]}}"#]) func `JSON has no fault`(text: String) {
    #expect(JSONGrammar.fault(in: text) == nil)
  }

  @Test(arguments: [
    ("", "byte 1: nothing but white space"), ("{\"a\" 1}", "byte 6: ':' is expected"),
    ("{} x", "byte 4: text after the end of the message"),
    ("01", "byte 1: not a number"), ("[1,]", "byte 4: a value is expected"),
    ("\"a", "byte 3: text without a closing quotation mark"),
  ]) func `a fault has its place`(text: String, fault: String) {
    #expect(JSONGrammar.fault(in: text) == fault)
  }
}
