internal import StockbusDecoding
internal import StockbusPlugin

/// The JSON that a webhook gets.
enum WebhookBody {
  /// A value as it stands between quotation marks in JSON; a number stays one.
  static func escaped(_ text: String) -> String { String(JSONValue.string(text).description.dropFirst().dropLast()) }

  /// Why a template yields no JSON; nil where it does.
  static func fault(in template: String) -> String? {
    let parsed: Template
    do throws(TemplateError) { parsed = try Template(template, Template.channelNames) } catch { return error.description }
    var values = Dictionary(uniqueKeysWithValues: Template.channelNames.map { ($0, "x") })
    values["price"] = "1.25"
    guard let fault = JSONGrammar.fault(in: parsed.filled(values)) else { return nil }
    return "it must be JSON once the placeholders are filled in; all but {price} are text and belong between quotation marks (\(fault))"
  }
}
