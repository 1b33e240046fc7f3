import StockbusPlugin

/// One step through a YAML document.
enum YAMLEvent {
  /// Anchor, tag and place of a node.
  struct Head {
    var anchor: String?
    /// In full: `tag:yaml.org,2002:str`, `!local`, `!`.
    var tag: String?
    /// Where the node begins, its anchor and tag included.
    var mark: ConfigNode.Mark
  }

  case streamStart
  case documentStart(ConfigNode.Mark)
  case documentEnd
  case streamEnd
  case alias(String, at: ConfigNode.Mark)
  /// `isPlain`: without quotation marks and no block text.
  case scalar(String, Head, isPlain: Bool, end: ConfigNode.Mark)
  case listStart(Head)
  case listEnd
  case mapStart(Head)
  case mapEnd
}
