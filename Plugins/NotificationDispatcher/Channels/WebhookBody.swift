internal import StockbusDecoding
internal import StockbusPlugin

/// The JSON body of a webhook.
enum WebhookBody {
  /// A value escaped for use between quotation marks in JSON; a number is unchanged.
  static func escaped(_ text: String) -> String { String(JSONValue.string(text).description.dropFirst().dropLast()) }

  /// Why a template does not give valid JSON; nil if it does.
  static func fault(in template: String) -> String? {
    let parsed: NotificationTemplate
    do throws(TemplateError) { parsed = try NotificationTemplate(template, NotificationTemplate.channelNames) } catch {
      return error.description
    }
    var values = Dictionary(uniqueKeysWithValues: NotificationTemplate.channelNames.map { ($0, "x") })
    values["price"] = "1.25"
    guard let fault = JSONGrammar.fault(in: parsed.filled(values)) else { return nil }
    return "it must be JSON once the placeholders are replaced; all except {price} are text and must be in quotation marks (\(fault))"
  }
}
