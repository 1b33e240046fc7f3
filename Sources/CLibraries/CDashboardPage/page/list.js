// A list of prices beside the chosen symbol: all prices, crypto, or a watchlist. `/symbol/AAPL` opens the symbol's page, which on a
// wide screen stands beside the list.
import { usualColumns, compactColumns, beside, columns, columnOf, fillColumns, folds, least } from './columns.js'
import { part } from './api.js'
import { FilterField, isExpression } from './filter.js'
import { h, setAttribute, setText } from './dom.js'
import { SymbolPanel } from './panel.js'
import { SymbolPage } from './symbol.js'
import { PACE } from './table.js'

const TABLE = 0
const CHOSEN = 2
const titles = { all: 'Prices', crypto: 'Crypto' }

export class ListView {
  constructor(app, { list, watchlist }, WatchlistBar = null) {
    Object.assign(this, { app, list, watchlist, symbol: null, opened: null, filter: '', sortKey: null, descending: false, filled: new Set() })
    const ordered = watchlist !== undefined
    this.table = document.createElement('price-table').setUp({
      model: app.model, pane: TABLE, label: titles[list] ?? 'Watchlist',
      ask: (from, count) => this.#ask(from, count),
      sort: key => this.sort(key),
      marked: symbol => app.lists.has(symbol),
      ...(ordered ? { move: (symbol, by) => this.bar.move(symbol, by), drop: (symbol, before) => this.bar.drop(symbol, before) } : {}),
    })
    this.field = new FilterField({ changed: text => this.#filter(text), leave: () => this.table.focusable.focus() })
    this.count = h('span', { class: 'count' })
    this.columnMenu = this.#columnMenu()
    this.bar = ordered ? new WatchlistBar(app, watchlist, () => this.#listChanged()) : null
    const toolbar = h('div', { class: 'toolbar' }, this.bar?.element, this.field.element, this.count, this.columnMenu)
    this.sheet = h('div', { class: 'sheet' }, toolbar, this.table)
    this.aside = h('div', { class: 'beside' })
    this.element = h('div', { class: ordered ? 'prices with-lists' : 'prices' }, h('h1', { class: 'hidden-text' }, titles[list] ?? 'Watchlist'), this.sheet, this.aside)
    this.table.addEventListener('choose', ({ detail }) => this.#chosen(detail.symbol))
    // Where there is no room for the chosen symbol beside the list, a touch opens it.
    this.table.addEventListener('click-symbol', ({ detail }) => !this.panel && app.go('/symbol/' + part(detail.symbol)))
    this.table.addEventListener('open', ({ detail }) => app.go('/symbol/' + part(detail.symbol)))
  }

  get title() {
    return this.opened ?? (this.watchlist !== undefined ? this.bar.name || 'Watchlists' : titles[this.list])
  }

  start() {
    this.#columns()
    this.#panel()
    if (this.bar) this.stopLists = this.app.lists.on(() => this.bar.listsChanged())
    this.bar?.listsChanged()
    this.#restart()
  }

  stop() {
    this.stopLists?.()
    clearTimeout(this.panelLate)
    this.panel?.stop()
    this.app.look(TABLE, null)
    this.app.look(CHOSEN, null)
    this.app.chooseSymbol(null)
  }

  focus() {
    if (this.opened) this.panel.focus()
    else this.table.focusable.focus({ preventScroll: true })
  }

  // What the table looks at.

  get view() {
    const view = {}
    if (this.list === 'crypto') view.kind = 'crypto'
    if (this.bar) view.symbols = this.bar.symbols
    if (this.filter) view[isExpression(this.filter) ? 'filter' : 'find'] = this.filter
    if (this.sortKey) Object.assign(view, { sort: this.sortKey, descending: this.descending })
    return view
  }

  #ask(from, count) {
    if (this.bar && this.bar.symbols.length === 0) {
      this.app.look(TABLE, null)
      setText(this.table.none, this.bar.emptyText)
      return
    }
    this.app.look(TABLE, this.view, from, count)
  }

  #restart() {
    this.table.emptyText = this.filter ? `Nothing matches “${this.filter}”` : 'No prices yet'
    this.table.restart()
  }

  #filter(text) {
    this.filter = text
    this.field.showError(null)
    this.#restart()
  }

  #listChanged() {
    if (JSON.stringify(this.view) !== JSON.stringify(this.app.model.panes[TABLE].view)) this.#restart()
    document.title = this.title + ' – stockbus'
  }

  viewError(message) {
    if (message.pane !== TABLE || !this.filter) return false
    this.field.showError({ message: message.message, at: message.at })
    this.app.say(message.message)
    return true
  }

  /** The first click sorts, the second turns the order, the third gives the list's own order back. */
  sort(key) {
    const column = columnOf.get(key)
    if (this.sortKey !== column.sort) Object.assign(this, { sortKey: column.sort, descending: Boolean(column.down) })
    else if (this.descending === Boolean(column.down)) this.descending = !this.descending
    else Object.assign(this, { sortKey: null, descending: false })
    this.table.showSort(this.sortKey ? key : null, this.descending)
    this.#restart()
    this.app.say(this.sortKey ? `Sorted by ${column.title ?? column.head}, ${this.descending ? 'descending' : 'ascending'}` : 'In the order of the list')
  }

  nextSort() {
    const sortable = this.table.columns.filter(column => column.sort)
    const index = sortable.findIndex(column => column.sort === this.sortKey)
    this.sortKey = null
    this.sort(sortable[(index + 1) % sortable.length].key)
  }

  turnSort() {
    if (!this.sortKey) return this.nextSort()
    this.descending = !this.descending
    this.table.showSort(this.table.sortedBy, this.descending)
    this.#restart()
  }

  // Columns.

  get columnKeys() {
    const keys = (this.app.settings.columns ?? []).filter(key => columnOf.has(key))
    return keys.length > 0 ? keys : usualColumns
  }

  #columns() {
    const small = innerWidth <= 700
    const narrow = innerWidth <= 1180
    let keys = this.columnKeys
    if (this.opened && !small) keys = compactColumns
    else if (small) keys = ['symbol', 'name', 'trend', 'price', 'percent', 'age']
    else if (narrow) keys = keys.filter(key => !['bid', 'ask', 'spread', 'low', 'high', 'updates', 'time', ...(innerWidth <= 1100 ? ['volume'] : [])].includes(key))
    else if (innerWidth <= 1360 && keys === usualColumns) keys = keys.filter(key => !['bid', 'ask'].includes(key)) // they are in the panel beside
    if (this.columnKeys === usualColumns) keys = this.#fitting(keys.filter(key => !folds(key) || this.filled.has(key)))
    const wanted = keys.join()
    if (wanted === this.columnsShown) return
    this.columnsShown = wanted
    this.table.setColumns(keys)
  }

  /** Without those beside the events for which there is no room. */
  #fitting(keys) {
    const isBeside = key => beside.includes(columnOf.get(key))
    let room = this.table.clientWidth - 18
    for (const key of keys) if (!isBeside(key)) room -= least(columnOf.get(key))
    return keys.filter(key => !isBeside(key) || (room -= least(columnOf.get(key))) >= 0)
  }

  /** Others are beside the events. What is sorted by one that is gone has its own order again. */
  columnsChanged() {
    if (!columns.some(column => column.sort === this.sortKey)) {
      this.sortKey = null
      this.table.showSort(null, false)
    }
    this.columnsShown = null
    this.#columns()
    this.#restart()
  }

  #fillColumns(now = this.app.model.marketNow) {
    if (fillColumns(this.filled, [...this.app.model.panes[TABLE].order.values()], now)) this.#columns()
  }

  #columnMenu() {
    const list = h('div', { hidden: true, role: 'group', 'aria-label': 'Columns' })
    const button = h('button', { type: 'button', 'aria-expanded': 'false', onclick: () => {
      list.hidden = !list.hidden
      button.setAttribute('aria-expanded', String(!list.hidden))
      if (!list.hidden) {
        list.replaceChildren(...columns.filter(column => column.key !== 'symbol').map(column => this.#columnBox(column)))
        list.querySelector('input').focus()
      }
    } }, 'Columns')
    const menu = h('div', { class: 'menu column-menu' }, button, list)
    const close = () => {
      list.hidden = true
      button.setAttribute('aria-expanded', 'false')
    }
    menu.addEventListener('focusout', event => !menu.contains(event.relatedTarget) && event.relatedTarget && close())
    menu.addEventListener('keydown', event => {
      if (event.key !== 'Escape' || list.hidden) return
      event.stopPropagation()
      close()
      button.focus()
    })
    return menu
  }

  #columnBox(column) {
    const box = h('input', { type: 'checkbox' })
    box.checked = this.columnKeys.includes(column.key)
    box.addEventListener('change', () => {
      const chosen = new Set(this.columnKeys)
      if (box.checked) chosen.add(column.key)
      else chosen.delete(column.key)
      this.app.keep({ columns: columns.map(each => each.key).filter(key => key === 'symbol' || chosen.has(key)) })
      this.#columns()
    })
    return h('label', { class: 'check' }, box, column.title ?? column.head)
  }

  // The chosen symbol.

  #chosen(symbol) {
    if (symbol === this.symbol) return
    if (this.opened) {
      this.app.go('/symbol/' + part(symbol), { replace: true, focus: false })
      return
    }
    this.#show(symbol)
    const row = this.app.model.bySymbol(symbol)
    if (row) this.app.say(`${row.symbol} ${row.name}`)
  }

  #show(symbol) {
    this.symbol = symbol
    this.app.chooseSymbol(symbol)
    if (symbol) this.app.lookAtSymbols(CHOSEN, [symbol])
    this.panel?.show(symbol)
  }

  /** Opens a symbol's page, or with null closes it. */
  open(symbol) {
    const changed = Boolean(symbol) !== Boolean(this.opened)
    this.opened = symbol
    this.element.classList.toggle('opened', Boolean(symbol))
    if (changed) {
      this.#columns()
      this.#panel()
    }
    this.#show(symbol ?? this.symbol)
    this.table.setChosen(this.symbol)
  }

  #panel() {
    const wide = innerWidth > 900
    this.panel?.stop()
    this.panel = this.opened ? new SymbolPage(this.app) : wide ? new SymbolPanel(this.app) : null
    this.wide = wide
    this.element.classList.toggle('alone', this.panel === null)
    this.aside.replaceChildren(...(this.panel ? [this.panel.element] : []))
    if (this.panel && this.symbol) this.panel.show(this.symbol)
  }

  resized() {
    this.#columns()
    if (innerWidth > 900 !== this.wide && !this.opened) this.#panel()
  }

  // What comes.

  /** True if rows wait to be written. */
  get isBehind() {
    return this.table.isBehind
  }

  frame(time) {
    const pane = this.app.model.panes[TABLE]
    if (pane.version !== this.filledVersion) {
      this.filledVersion = pane.version
      this.#fillColumns()
    }
    this.table.draw()
    const beyond = this.app.model.status?.beyond ?? 0
    if (pane.known && (pane.total !== this.counted || beyond !== this.beyond)) {
      Object.assign(this, { counted: pane.total, beyond })
      const more = beyond > 0 ? `, ${beyond.toLocaleString('en')} more ${beyond === 1 ? 'symbol has' : 'symbols have'} none` : ''
      setText(this.count, pane.total.toLocaleString('en') + (pane.total === 1 ? ' row' : ' rows') + more)
      setAttribute(this.count, 'title', beyond > 0 ? 'Search for a symbol or add it to a list to get its row with its next price' : null)
    }
    if (this.symbol === null && pane.order.size > 0 && this.wide) {
      const first = pane.order.get(0)
      if (first?.symbol) {
        this.#show(first.symbol)
        this.table.setChosen(first.symbol)
      }
    }
    if (!this.isBehind) this.panel?.frame(time)
    else this.panelLate ??= setTimeout(() => this.#panelAgain(), PACE)
  }

  /** What is beside a table that cannot show all is no faster than its rows. */
  #panelAgain() {
    this.panelLate = null
    this.panel?.frame(performance.now())
  }

  second(now) {
    this.#fillColumns(now)
    this.table.second(now)
    this.panel?.second?.(now)
  }

  trades(list) {
    this.panel?.trades(list)
  }

  bars(list) {
    this.panel?.bars(list)
  }

  changed(name) {
    this.panel?.changed(name)
  }

  colours() {
    this.panel?.colours()
  }

  settingsChanged() {
    this.#columns()
    this.table.refresh()
    this.panel?.settingsChanged?.()
  }
}
