import StockbusPlugin

/// One event of the parser.
enum YAMLEvent {
  /// Anchor, tag and place of a node.
  struct Head {
    var anchor: String?
    /// The full tag: `tag:yaml.org,2002:str`, `!local`, `!`.
    var tag: String?
    /// Where the node begins, including its anchor and tag.
    var mark: ConfigNode.Mark
  }

  case streamStart
  case documentStart(ConfigNode.Mark)
  case documentEnd
  case streamEnd
  case alias(String, at: ConfigNode.Mark)
  /// `isPlain`: neither quoted nor a block scalar.
  case scalar(String, Head, isPlain: Bool, end: ConfigNode.Mark)
  case listStart(Head)
  case listEnd
  case mapStart(Head)
  case mapEnd
}
