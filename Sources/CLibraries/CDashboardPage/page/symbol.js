// A symbol's page: chart, last trades, quote, position, ticket, alerts.
import { get, part } from './api.js'
import { Controls } from './controls.js'
import { decimal, difference, signed, units } from './decimal.js'
import { h, RecordTable, setSigned, setText } from './dom.js'
import { RuleList } from './rules.js'
import './chart.js'
import { Held, Lead, Quote } from './quote.js'
import { Star } from './star.js'
import { Ticket } from './ticket.js'
import { precise } from './time.js'

const SHOWN_TRADES = 60

export class SymbolPage {
  constructor(app) {
    this.app = app
    this.star = new Star(app)
    this.lead = new Lead({ level: 'h1', star: this.star })
    this.chart = document.createElement('price-chart').setUp({ app })
    this.quote = new Quote({ facts: true })
    this.held = new Held()
    this.ticket = app.can('trade') ? new Ticket(app) : null
    this.rules = new RuleList(app)
    this.controls = new Controls(app)
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
    this.side = h('aside', { class: 'side', 'aria-label': 'Trading and alerts', tabindex: 0 },
      this.ticket && h('section', {}, h('h2', {}, 'Position'), this.held.element),
      this.ticket && h('section', {}, this.ticket.element),
      h('section', { hidden: !app.has('alerts') }, this.rules.element), this.controls.element)
    this.element = h('div', { class: 'symbol-page' }, this.main, this.side, this.missing)
  }

  async show(symbol) {
    this.symbol = symbol
    this.facts = null
    this.quote.begin()
    this.told = []
    this.#trades(this.app.model.trades)
    this.missing.hidden = true
    this.main.hidden = this.side.hidden = false
    this.chart.show(symbol)
    this.ticket?.show(symbol)
    this.rules.show(symbol)
    this.star.show(symbol)
    this.controls.show(symbol)
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

  stop() {
    this.star.stop()
    this.rules.stop()
    this.ticket?.stop()
  }

  focus() {
    this.chart.canvas.focus({ preventScroll: true })
  }

  get row() {
    return this.app.model.bySymbol(this.symbol)
  }

  frame(time) {
    const { row } = this
    if (row === null || row.version !== this.version) {
      this.version = row?.version
      if (this.facts?.beyond) this.#hint()
      this.lead.show(this.symbol, row, this.facts)
      this.quote.show(row, this.facts)
      this.#held(row)
      this.ticket?.price(row)
      if (row) this.chart.price(row.price, row.time, row.volume)
    }
    this.chart.frame(time)
  }

  #held(row) {
    if (this.ticket) this.held.show(this.app.model.positions.filter(position => position.symbol === this.symbol), row)
  }

  second(now) {
    this.lead.showAge(this.row, now)
  }

  changed(name) {
    if (name === 'positions') this.#held(this.row)
    this.ticket?.changed(name)
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

  bars(list) {
    this.chart.minutes(list)
  }

  colours() {
    this.chart.colours()
  }

  settingsChanged() {
    this.trade.refresh()
    this.chart.draw()
  }
}
