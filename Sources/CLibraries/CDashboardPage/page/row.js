// One line of the table of prices: its cells, its flash, its trend.
import { staleness } from './columns.js'
import { h, setAttribute, svg } from './dom.js'
import { trendPath } from './trend.js'

const FADE = 1000
const STEPS = 8 // in which a flash fades: an animation would need a layer for each row
const LEVELS = Array.from({ length: STEPS + 1 }, (_, level) => String(level))
const BRIGHT = 250 // ms after which a flash may begin again; before, it is still bright
let ids = 0

export class RowLine {
  constructor(columns, { draggable, widen, marked = null }) {
    Object.assign(this, { columns, widen, marked, index: -1, row: null, version: -1, flashed: 0, flashedWay: 0, level: 0, trendDrawn: 0, trendVersion: -1 })
    this.element = h('div', { role: 'row', class: 'row', id: `row${++ids}`, draggable: draggable ? 'true' : null })
    this.cells = columns.map(column => {
      const text = document.createTextNode('')
      const element = h('div', { role: 'gridcell', class: 'cell ' + column.key + (column.number ? ' number' : '') })
      const cell = { column, element, text, last: undefined }
      if (column.line) {
        this.line = svg('path', {})
        element.append(svg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, this.line))
      } else if (column.key === 'price') {
        this.glow = h('i', { class: 'glow', 'aria-hidden': 'true' })
        this.arrow = document.createTextNode('')
        element.append(this.glow, h('span', { class: 'arrow' }, this.arrow), text)
      } else element.append(text)
      if (column.slow) this.ageCell = cell
      if (column.key === 'symbol') this.symbolCell = cell
      this.element.append(element)
      return cell
    })
    this.texts = this.cells.filter(({ column }) => column.text)
  }

  placeAt(index, height) {
    if (this.index === index) return
    this.index = index
    this.element.style.transform = `translateY(${index * height}px)`
    setAttribute(this.element, 'aria-rowindex', index + 2)
  }

  hide(yes) {
    if (this.isHidden === yes) return
    this.isHidden = yes
    this.element.hidden = yes
  }

  /** True if it has something else to show. `row` is the one at its place now. */
  isBehind(row) {
    return row !== this.row || (row !== null && row.version !== this.version)
  }

  /** Shows a row, or nothing where the server has not told it yet. */
  show(row, chosen, now) {
    const other = row !== this.row
    if (other) {
      this.#take(row)
      // What the row before left in this line is not seen for a moment either.
      this.showMarked()
      this.drawTrend(now)
    }
    if (row && row.version !== this.version) {
      this.version = row.version
      this.#write(row)
      this.#flash(row, now)
    }
    const isChosen = row !== null && row.symbol === chosen
    if (isChosen !== this.isChosen) {
      this.isChosen = isChosen
      setAttribute(this.element, 'aria-selected', isChosen ? 'true' : 'false')
    }
  }

  forget() {
    this.version = -1
    for (const cell of this.cells) cell.last = undefined
  }

  #take(row) {
    this.row = row
    this.forget()
    this.trendVersion = -1
    this.trendDrawn = 0
    this.#glow(0)
    this.flashed = 0
    this.age = ''
    if (this.ageCell) this.ageCell.text.data = ''
    if (row === null) {
      for (const cell of this.cells) cell.text.data = ''
      if (this.arrow) this.arrow.data = ''
      this.way = 0
    }
  }

  #write(row) {
    for (const cell of this.texts) {
      const { column } = cell
      const value = column.value(row)
      if (value === cell.last) continue
      cell.last = value
      const text = column.text(row)
      cell.text.data = text
      if (column.number && text.length > 8) this.widen(column, text.length)
      if (column.direction) {
        const direction = column.direction(row)
        const way = direction > 0 ? 'up' : direction < 0 ? 'down' : ''
        if (cell.way !== way) cell.element.setAttribute('data-direction', cell.way = way)
      }
    }
    if (this.arrow && this.way !== row.direction) {
      this.way = row.direction
      this.arrow.data = row.direction > 0 ? '▲' : row.direction < 0 ? '▼' : ''
    }
    const stale = row.marks !== 0
    if (stale !== this.stale) {
      this.stale = stale
      this.element.classList.toggle('stale', stale)
    }
  }

  #flash(row, now) {
    if (!this.glow || row.turned <= this.flashed) return
    if (row.direction !== this.flashedWay) {
      this.flashedWay = row.direction
      this.glow.setAttribute('data-direction', row.direction > 0 ? 'up' : 'down')
    }
    if (row.turned - this.flashed < BRIGHT) return
    this.flashed = row.turned // a row that has moved meanwhile goes on fading in its new place
    this.fade(now)
  }

  /** Fades the flash. Returns true if it still glows. */
  fade(now) {
    const rest = 1 - (now - this.flashed) / FADE
    this.#glow(this.flashed > 0 && rest > 0 ? Math.ceil(Math.min(1, rest) * STEPS) : 0)
    return this.level > 0
  }

  #glow(level) {
    if (level === this.level || !this.glow) return
    this.level = level
    this.glow.setAttribute('data-level', LEVELS[level])
  }

  drawTrend(now) {
    const row = this.row
    if (!this.line || (row?.version === this.trendVersion && this.trendDrawn) || (this.path && now - this.trendDrawn < 1000)) return
    this.trendVersion = row?.version ?? -1
    this.trendDrawn = now
    const { path, way } = trendPath(row?.trend ?? null)
    if (path === this.path) return
    this.path = path
    this.line.setAttribute('d', path)
    this.line.dataset.direction = way
  }

  showAge(serverNow) {
    if (!this.ageCell) return
    const text = this.row ? staleness(this.row, serverNow) : ''
    if (text !== this.age) this.ageCell.text.data = this.age = text
  }

  /** Shows whether the row is on a list. */
  showMarked() {
    const yes = this.marked !== null && this.row !== null && this.marked(this.row.symbol)
    if (yes !== this.isMarked) {
      this.isMarked = yes
      this.element.classList.toggle('watched', yes)
    }
  }
}
