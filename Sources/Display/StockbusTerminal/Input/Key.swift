/// A key of the keyboard.
package enum Key: Hashable, Sendable {
  /// The character that the key types: `a`, `A`, `é`.
  case character(Character)
  case enter, tab, escape, backspace, delete, insert
  case up, down, left, right, home, end, pageUp, pageDown
  /// F1 to F20.
  case function(Int)
}

/// Modifier keys that were held down. Shift is only reported for keys that type no character.
package struct KeyModifiers: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let shift = KeyModifiers(rawValue: 1)
  package static let alt = KeyModifiers(rawValue: 2)
  package static let control = KeyModifiers(rawValue: 4)
}

/// A key with its modifiers.
package struct KeyPress: Hashable, Sendable {
  package var key: Key
  package var modifiers: KeyModifiers

  package init(_ key: Key, _ modifiers: KeyModifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }
}

/// A mouse action, at a position counted from 0.
package struct MouseEvent: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    /// Button 0 is the left one.
    case press(Int), release, wheelUp, wheelDown
  }
  package var action: Action
  package var row: Int
  package var column: Int
  package var modifiers: KeyModifiers

  package init(_ action: Action, row: Int, column: Int, modifiers: KeyModifiers = []) {
    self.action = action
    self.row = row
    self.column = column
    self.modifiers = modifiers
  }
}

/// A decoded input of a terminal.
package enum InputEvent: Hashable, Sendable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// The terminal's response about a private mode (DECRPM): 1 and 3 set, 2 reset, 0 unknown, 4 permanently reset.
  case mode(Int, setting: Int)
}
