/// Foreign text for a message: on one line, without control characters and changes of the writing direction, and with at most
/// `limit` of its characters.
public func visible(_ text: String, limit: Int = 60) -> String { OptionText.visible(text, limit: limit) }

/// The same between quotation marks: `'text'`.
public func shown(_ text: String, limit: Int = 60) -> String { "'\(visible(text, limit: limit))'" }
