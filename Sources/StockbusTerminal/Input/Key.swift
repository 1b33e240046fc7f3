/// A key of the keyboard.
public enum Key: Hashable, Sendable {
  /// What it writes, as one would see it: `a`, `A`, `é`.
  case character(Character)
  case enter, tab, escape, backspace, delete, insert
  case up, down, left, right, home, end, pageUp, pageDown
  /// F1 to F20.
  case function(Int)
}

/// Keys that were held down with another. Shift is said only of keys that do not write.
public struct KeyModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let shift = KeyModifiers(rawValue: 1)
  public static let alt = KeyModifiers(rawValue: 2)
  public static let control = KeyModifiers(rawValue: 4)
}

/// Something that was pressed.
public struct KeyPress: Hashable, Sendable {
  public var key: Key
  public var modifiers: KeyModifiers

  public init(_ key: Key, _ modifiers: KeyModifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }
}

/// What the mouse did, at a place counted from 0.
public struct MouseEvent: Hashable, Sendable {
  public enum Action: Hashable, Sendable {
    /// Button 0 is the left one.
    case press(Int), release, wheelUp, wheelDown
  }
  public var action: Action
  public var row: Int
  public var column: Int
  public var modifiers: KeyModifiers

  public init(_ action: Action, row: Int, column: Int, modifiers: KeyModifiers = []) {
    self.action = action
    self.row = row
    self.column = column
    self.modifiers = modifiers
  }
}

/// What a terminal sends.
public enum InputEvent: Hashable, Sendable {
  case key(KeyPress)
  case mouse(MouseEvent)
  /// Its answer about a private mode (DECRPM): 1 and 3 set, 2 reset, 0 unknown, 4 never.
  case mode(Int, setting: Int)
}
