internal import StockbusPlugin

// The lists that cells are in.
extension BarBook {
  /// A cell with this content: an unused one, or a new one.
  @inline(__always)
  mutating func makeCell(_ content: BarCell) -> Int {
    if unused == 0 { addUnused() }
    let cell = Int(unused)
    unused = cells[cell].link
    // Stored here only, so that the content is built where it stays.
    cells[cell] = content
    if rules.keepsComponents {
      components.extend(to: cell + 1, filling: Components())
      components[cell] = Components()
    }
    return cell
  }

  /// Adds a cell that is in no list.
  @inline(never)
  private mutating func addUnused() {
    cells.extend(to: cells.count + 1, filling: cells[0])
    discard(cells.count - 1)
  }

  /// Releases a cell that is in no list.
  mutating func discard(_ cell: Int) {
    cells[cell].span = 0
    cells[cell].link = unused
    unused = UInt32(truncatingIfNeeded: cell)
  }

  /// The newest bar of a key; 0 if there is none.
  @inline(__always)
  func newestCell(of key: UInt32) -> Int {
    let (number, length) = place(of: key)
    return Int(length == 0 ? entries[Int(symbols[number].id)].newestCell : newestCells[Int(key)])
  }

  /// Makes a bar the newest one of a key; 0 if there is none.
  @inline(__always)
  private mutating func setNewestCell(of key: UInt32, to cell: UInt32) {
    let (number, length) = place(of: key)
    if length == 0 { entries[Int(symbols[number].id)].newestCell = cell } else { newestCells[Int(key)] = cell }
  }

  /// Puts a new bar between its neighbours, which may be 0.
  mutating func insert(_ cell: Int, newer: Int, older: Int) {
    let number = UInt32(truncatingIfNeeded: cell)
    cells[cell].newer = UInt32(truncatingIfNeeded: newer)
    cells[cell].older = UInt32(truncatingIfNeeded: older)
    if older != 0 { cells[older].newer = number }
    if newer != 0 { cells[newer].older = number } else { setNewestCell(of: cells[cell].key, to: number) }
  }

  /// Removes a bar and releases its cell, with those of its components.
  mutating func remove(_ cell: Int) {
    let (newer, older) = (Int(cells[cell].newer), Int(cells[cell].older))
    if older != 0 { cells[older].newer = cells[cell].newer }
    if newer != 0 { cells[newer].older = cells[cell].older } else { setNewestCell(of: cells[cell].key, to: cells[cell].older) }
    if rules.keepsComponents {
      var component = Int(components[cell].newest)
      while component != 0 {
        let next = Int(cells[component].older)
        discard(component)
        component = next
      }
    }
    discard(cell)
  }

  /// Adds a sent bar to those that wait to be removed.
  mutating func appendClosed(_ cell: Int) {
    let number = UInt32(truncatingIfNeeded: cell)
    cells[cell].link = 0
    if newestClosed == 0 { oldestClosed = number } else { cells[Int(newestClosed)].link = number }
    newestClosed = number
  }

  /// Removes the bars that cannot be issued again. A late one among them may be kept a little longer; whether a trade still counts does not
  /// depend on that.
  mutating func forget() {
    while oldestClosed != 0, case let cell = Int(oldestClosed), cells[cell].due.addingSaturating(rules.late) <= progress {
      oldestClosed = cells[cell].link
      if oldestClosed == 0 { newestClosed = 0 }
      remove(cell)
    }
  }
}
