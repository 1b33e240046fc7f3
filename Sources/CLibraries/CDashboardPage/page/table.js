// The table of prices: any number of rows, of which only those in sight exist. They are placed once, and only the texts that
// changed are written. The server orders the rows; this table asks for the stretch that is in sight.
import { beside, columnOf, least } from './columns.js'
import { h, setAttribute, setText } from './dom.js'
import { RowLine } from './row.js'

const MARGIN = 12 // rows that are asked for beyond each edge of the window
const HOLD = 2000 // ms in which rows keep their places after somebody has chosen one
const TRENDS_A_FRAME = 4
export const PACE = 200 // ms in which each row is written once: an eye rests as long on a number, and a market in which all rows move would cost every frame all rows
const FADING = 125 // ms between two steps of the flashes

export class PriceTable extends HTMLElement {
  /**
   * @param {{ model: any, pane: number, label: string, ask: (from: number, count: number) => void, sort?: (key: string) => void,
   *           move?: (symbol: string, by: number) => void, drop?: (symbol: string, before: string | null) => void, marked?: (symbol: string) => boolean }} parts
   */
  setUp(parts) {
    Object.assign(this, parts, { lines: [], chosen: null, chosenIndex: -1, wantedIndex: null, first: 0, shown: 0, asked: '', heldUntil: 0, trendTurn: 0, turn: 0, writes: 0, drawnAt: 0 })
    this.places = new Map() // which row is drawn at which place; differs from the pane's while rows are held
    this.head = h('div', { role: 'row', class: 'row', 'aria-rowindex': 1 })
    this.body = h('div', { role: 'rowgroup', class: 'rows' })
    this.grid = h('div', { role: 'grid', class: 'grid', tabindex: 0, 'aria-label': this.label },
      h('div', { role: 'rowgroup', class: 'heads' }, this.head), this.body)
    this.none = h('p', { class: 'none dim' }, 'Waiting for the first prices')
    this.replaceChildren(this.grid, this.none)
    this.grid.addEventListener('scroll', () => this.#scrolled(), { passive: true })
    this.grid.addEventListener('keydown', event => this.#key(event))
    this.body.addEventListener('click', event => this.#click(event))
    this.body.addEventListener('dblclick', () => this.#emit('open', this.chosen))
    this.body.addEventListener('pointermove', () => this.hold(), { passive: true })
    if (this.drop) this.#draggable()
    return this
  }

  connectedCallback() {
    this.observer = new ResizeObserver(() => this.layOut())
    this.observer.observe(this.grid)
  }

  disconnectedCallback() {
    this.observer.disconnect()
  }

  /** @param {string[]} keys */
  setColumns(keys) {
    this.columns = keys.map(key => columnOf.get(key)).filter(Boolean)
    this.longest = new Map()
    this.#widths()
    this.head.replaceChildren(...this.columns.map(column => {
      const label = h('span', { title: column.title ?? null }, column.head)
      const content = column.sort && this.sort
        ? h('button', { type: 'button', tabindex: -1, 'aria-label': column.title ?? null, onclick: () => this.sort(column.key) }, label) : label
      return h('div', { role: 'columnheader', class: 'cell ' + column.key + (column.number ? ' number' : '') }, content)
    }))
    setAttribute(this.grid, 'aria-colcount', this.columns.length)
    for (const line of this.lines) line.element.remove()
    this.lines = []
    this.showSort()
    this.layOut()
  }

  /** A column is as wide as its longest number so far: a number that is cut off would be another number. */
  widen(column, length) {
    if (length <= (this.longest.get(column.key) ?? 8)) return
    this.longest.set(column.key, length)
    this.#widths()
  }

  #widths() {
    const width = column => {
      const length = this.longest.get(column.key)
      if (!length) return column.width
      const room = `calc(${length}ch + ${column.key === 'price' ? 26 : 14}px)`
      const share = /, (.*)\)$/.exec(column.width)?.[1]
      return share ? `minmax(${room}, ${share})` : room
    }
    const sum = this.columns.reduce((sum, column) => sum + least(column), 18)
    this.style.setProperty('--least', this.columns.some(column => beside.includes(column)) ? sum + 'px' : '0')
    this.style.setProperty('--columns', this.columns.map(width).join(' '))
    this.style.setProperty('--price-digits', String(this.longest.get('price') ?? 10))
  }

  /** Marks the column that the rows are sorted by. */
  showSort(key = this.sortedBy, descending = this.descending) {
    Object.assign(this, { sortedBy: key, descending })
    this.columns?.forEach((column, index) => {
      const sorted = column.key === key
      setAttribute(this.head.children[index], 'aria-sort', sorted ? (descending ? 'descending' : 'ascending') : null)
    })
  }

  get paneNow() {
    return this.model.panes[this.pane]
  }

  /** Makes as many lines as the window has, and places them. */
  layOut() {
    if (!this.columns || !this.grid.clientHeight) return
    this.rowHeight = parseFloat(getComputedStyle(this.body).getPropertyValue('--row')) || 22
    const count = Math.ceil(this.grid.clientHeight / this.rowHeight) + 4
    while (this.lines.length < count) {
      const line = new RowLine(this.columns, { draggable: Boolean(this.drop), widen: (column, length) => this.widen(column, length), marked: this.marked })
      this.lines.push(line)
      this.body.append(line.element)
    }
    while (this.lines.length > count) this.lines.pop().element.remove()
    for (const line of this.lines) line.index = -1
    this.#scrolled()
  }

  /** Another view: begins at its top. */
  restart() {
    this.places.clear()
    this.drawnVersion = -1
    this.chosenIndex = -1
    this.heldUntil = 0
    this.grid.scrollTop = 0
    this.asked = ''
    this.layOut()
  }

  /** Rows keep their places for a moment, so that nobody chooses the wrong one. */
  hold() {
    this.heldUntil = performance.now() + HOLD
  }

  #scrolled() {
    if (!this.rowHeight) return
    this.heldUntil = 0
    this.first = Math.max(0, Math.floor(this.grid.scrollTop / this.rowHeight) - 1)
    this.#ask()
    this.#place()
    this.draw()
  }

  #ask() {
    const from = Math.max(0, this.first - MARGIN)
    const count = Math.min(1000, this.lines.length + 2 * MARGIN)
    const inside = this.askedFrom !== undefined && this.asked === 'yes' &&
      this.first >= this.askedFrom && this.first + this.lines.length - 4 <= this.askedFrom + this.askedCount
    if (inside && this.askedCount >= this.lines.length) return
    Object.assign(this, { askedFrom: from, askedCount: count, asked: 'yes' })
    this.ask(from, count)
  }

  /** Each line stands at the places whose number has the same remainder: scrolling moves only the lines that come into sight. */
  #place() {
    const count = this.lines.length
    for (let index = this.first; index < this.first + count; index++) this.lines[index % count].placeAt(index, this.rowHeight)
  }

  /** Draws what changed since the last call. */
  draw() {
    const pane = this.paneNow
    if (pane.version !== this.drawnVersion) this.#reorder(pane)
    const now = performance.now()
    this.writes = Math.min(this.lines.length, this.writes + (this.lines.length * (now - this.drawnAt)) / PACE)
    this.drawnAt = now
    let late = -1
    for (let step = 0; step < this.lines.length; step++) {
      // Where more rows have changed than may be written, those that wait are the first next time.
      const turn = (this.turn + step) % this.lines.length
      const line = this.lines[turn]
      const row = this.places.get(line.index) ?? null
      line.hide(line.index >= pane.total)
      if (row === line.row && line.isBehind(row)) {
        if (this.writes < 1) {
          if (late < 0) late = turn
          continue
        }
        this.writes--
      }
      line.show(row, this.chosen, now)
    }
    this.turn = Math.max(0, late)
    this.isBehind = late >= 0
    // What waits is shown even if no further frame comes.
    if (late >= 0 && !this.drawsAgain) this.drawsAgain = setTimeout(() => { this.drawsAgain = null; this.draw() }, PACE)
    this.#fade(now)
    this.#drawTrends(now)
  }

  #fade(now) {
    if (this.fading) return
    let glows = false
    for (const line of this.lines) glows = line.fade(now) || glows
    // Where all rows move, all of them glow, and nobody sees the finer steps.
    if (glows) this.fading = setTimeout(() => { this.fading = null; this.#fade(performance.now()) }, this.isBehind ? 2 * FADING : FADING)
  }

  #reorder(pane) {
    const held = performance.now() < this.heldUntil
    if (!held) this.places.clear()
    for (const [place, row] of pane.order) if (!held || !this.places.has(place)) this.places.set(place, row)
    if (!held) this.drawnVersion = pane.version
    if (pane.total !== this.shownTotal) {
      this.shownTotal = pane.total
      this.body.style.height = pane.total * this.rowHeight + 'px'
      setAttribute(this.grid, 'aria-rowcount', pane.total + 1)
    }
    const empty = pane.total === 0
    this.none.hidden = !empty
    if (empty && pane.known) setText(this.none, this.emptyText ?? 'No prices yet')
    if (this.wantedIndex !== null && this.places.has(this.wantedIndex)) this.choose(this.wantedIndex)
  }

  #drawTrends(now) {
    for (let turn = 0; turn < TRENDS_A_FRAME && this.lines.length > 0; turn++) {
      this.trendTurn = (this.trendTurn + 1) % this.lines.length
      this.lines[this.trendTurn].drawTrend(now)
    }
  }

  /** Once a second: ages, and trends of rows that do not change. */
  second(serverNow) {
    const now = performance.now()
    for (const line of this.lines) {
      line.showMarked()
      line.showAge(serverNow)
      line.drawTrend(now)
    }
    if (this.heldUntil && now > this.heldUntil) this.draw()
  }

  refresh() {
    for (const line of this.lines) line.forget()
    this.draw()
  }

  // Choosing a row.

  get focusable() {
    return this.grid
  }

  choose(index, quiet = false) {
    const total = this.paneNow.total
    if (total === 0) return
    index = Math.max(0, Math.min(total - 1, index))
    const row = this.places.get(index)
    this.reveal(index)
    if (!row) {
      this.wantedIndex = index
      return
    }
    this.wantedIndex = null
    this.hold()
    this.chosenIndex = index
    this.chosen = row.symbol
    this.draw()
    const line = this.lines.find(line => line.row === row)
    if (line) setAttribute(this.grid, 'aria-activedescendant', line.element.id)
    this.#emit('choose', row.symbol, quiet)
  }

  /** Marks a symbol as chosen that was chosen elsewhere. */
  setChosen(symbol) {
    this.chosen = symbol
    this.chosenIndex = -1
    this.draw()
  }

  reveal(index) {
    const top = index * this.rowHeight
    const heads = this.head.offsetHeight
    const room = this.grid.clientHeight - heads - this.rowHeight
    if (top < this.grid.scrollTop) this.grid.scrollTop = top
    else if (top > this.grid.scrollTop + room) this.grid.scrollTop = top - room
  }

  get placeOfChosen() {
    if (this.chosenIndex >= 0 && this.places.get(this.chosenIndex)?.symbol === this.chosen) return this.chosenIndex
    for (const [place, row] of this.places) if (row.symbol === this.chosen) return place
    return -1
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey) return
    const place = this.placeOfChosen
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.rowHeight) - 2)
    if (event.altKey) {
      if (this.move && this.chosen && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
        event.preventDefault()
        this.move(this.chosen, event.key === 'ArrowUp' ? -1 : 1)
      }
      return
    }
    const to = {
      ArrowDown: place + 1, ArrowUp: place < 0 ? 0 : place - 1, PageDown: place + page, PageUp: place - page, Home: 0, End: Infinity,
    }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      this.choose(to)
    } else if (event.key === 'Enter' && this.chosen) {
      event.preventDefault()
      this.#emit('open', this.chosen)
    }
  }

  #click(event) {
    const line = this.#lineOf(event.target)
    if (!line?.row) return
    this.choose(line.index)
    this.#emit('click-symbol', line.row.symbol)
  }

  #lineOf(target) {
    const element = target.closest?.('.row')
    return this.lines.find(line => line.element === element) ?? null
  }

  #emit(name, symbol, quiet = false) {
    if (symbol) this.dispatchEvent(new CustomEvent(name, { detail: { symbol, quiet } }))
  }

  // Dragging rows, in lists that have an order of their own.

  #draggable() {
    let dragged = null
    this.body.addEventListener('dragstart', event => {
      dragged = this.#lineOf(event.target)?.row?.symbol ?? null
      if (dragged) event.dataTransfer.setData('text/plain', dragged)
    })
    this.body.addEventListener('dragover', event => {
      const line = this.#lineOf(event.target)
      if (!dragged || !line) return
      event.preventDefault()
      for (const other of this.lines) other.element.classList.toggle('drop', other === line)
    })
    const done = () => {
      for (const line of this.lines) line.element.classList.remove('drop')
    }
    this.body.addEventListener('drop', event => {
      const before = this.#lineOf(event.target)?.row?.symbol ?? null
      event.preventDefault()
      done()
      if (dragged && dragged !== before) this.drop(dragged, before)
      dragged = null
    })
    this.body.addEventListener('dragend', () => {
      done()
      dragged = null
    })
  }
}

customElements.define('price-table', PriceTable)
