// A symbol's page: chart, last trades, quote, position, ticket, alerts.
import { get, part } from './api.js'
import { decimal, difference, signed, units } from './decimal.js'
import { h, RecordTable, setSigned, setText } from './dom.js'
import { SymbolView } from './panel.js'
import { precise } from './time.js'

const SHOWN_TRADES = 60

export class SymbolPage extends SymbolView {
  constructor(app) {
    super(app, { level: 'h1' }, {}, { facts: true })
    this.trade = new RecordTable({ label: 'Last trades', key: trade => trade.key, empty: 'No trades since the page was opened.', columns: [
      { head: 'Time', class: 'dim', cell: trade => precise(trade.time) },
      { head: 'Side', class: 'dim', folds: true, cell: trade => trade.side },
      { head: 'Price', number: true, cell: trade => decimal(trade.price, trade.decimals) },
      { head: 'Change', number: true, optional: true, cell: (trade, cell) => setSigned(cell, trade.change === null ? '' : signed(trade.change, trade.decimals), trade.change ?? 0) },
      { head: 'Size', number: true, cell: trade => decimal(trade.size) },
    ] })
    this.back = h('button', { type: 'button', class: 'back plain', onclick: () => app.router.back() }, 'Back')
    this.hint = h('p', { class: 'dim hint' })
    this.missing = h('p', { class: 'none', hidden: true })
    this.main = h('div', { class: 'symbol-main' },
      h('div', { class: 'symbol-top' }, this.lead.element, this.back),
      this.chart,
      h('div', { class: 'under' },
        h('section', { tabindex: 0, 'aria-label': 'Last trades' }, h('h2', {}, 'Last trades'), this.trade.element),
        h('section', { tabindex: 0, 'aria-label': 'Quote' }, h('h2', {}, 'Quote'), this.quote.element, this.hint)))
    this.side = this.beside('Trading and alerts')
    this.element = h('div', { class: 'symbol-page' }, this.main, this.side, this.missing)
  }

  async show(symbol) {
    this.symbol = symbol
    this.told = []
    this.#trades(this.app.model.trades)
    this.missing.hidden = true
    this.main.hidden = this.side.hidden = false
    this.begin(symbol)
    this.#hint()
    this.version = -1
    this.frame(0)
    document.title = symbol + ' – stockbus'
    try {
      const facts = await get('/symbols/' + part(symbol))
      if (symbol !== this.symbol) return
      this.facts = facts
      this.chart.showClose(units(facts.previousClose))
      this.#hint()
    } catch (error) {
      if (symbol === this.symbol && error.status === 404) this.#unknown(error.message)
    }
    this.version = -1
  }

  #hint() {
    const { symbol } = this
    setText(this.hint, this.facts?.beyond && !this.row ? `More symbols came than the page has rows for. ${symbol} is shown from its next price on.`
      : `In the terminal: stockbus open stocks://symbol/${part(symbol)}`)
  }

  #unknown(message) {
    this.main.hidden = this.side.hidden = true
    this.missing.hidden = false
    this.missing.replaceChildren(message + ' ', h('a', { href: '/', class: 'link' }, 'All prices'))
    this.app.say(message)
  }

  focus() {
    this.chart.canvas.focus({ preventScroll: true })
  }

  frame(time) {
    const { row } = this
    if (row === null || row.version !== this.version) {
      if (this.facts?.beyond) this.#hint()
      this.showRow(row)
    }
    this.chart.frame(time)
  }

  trades(list) {
    this.chart.trades(list)
    this.#trades(list)
  }

  #trades(list) {
    for (const [time, price, size, side] of list) {
      const before = this.told[0]
      const value = units(price)
      const dot = price.indexOf('.')
      const change = before ? difference(value, before.price) : null
      this.tradeKey = (this.tradeKey ?? 0) + 1
      this.told.unshift({ key: this.tradeKey, time, price: value, size: units(size), side: side === 'unknown' ? '' : side ?? '', change, decimals: dot < 0 ? 0 : price.length - dot - 1 })
    }
    this.told.length = Math.min(this.told.length, SHOWN_TRADES)
    this.trade.show(this.told)
  }

  settingsChanged() {
    this.trade.refresh()
    this.chart.draw()
  }
}
