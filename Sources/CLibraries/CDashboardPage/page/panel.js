// The narrow column beside the prices: the chosen symbol at a glance, its ticket, its alerts; and what a symbol's page has in common with it.
import { get, part } from './api.js'
import { Controls } from './controls.js'
import { units } from './decimal.js'
import { h } from './dom.js'
import { RuleList } from './rules.js'
import './chart.js'
import { Held, Lead, Quote } from './quote.js'
import { Star } from './star.js'
import { Ticket } from './ticket.js'

export class SymbolView {
  constructor(app, lead, chart, quote) {
    this.app = app
    this.star = new Star(app)
    this.lead = new Lead({ ...lead, star: this.star })
    this.chart = document.createElement('price-chart').setUp({ app, ...chart })
    this.quote = new Quote(quote)
    this.held = new Held()
    this.ticket = app.can('trade') ? new Ticket(app) : null
    this.rules = new RuleList(app)
    this.controls = new Controls(app)
  }

  /** What somebody does with the symbol, below what else is beside it. */
  beside(label, ...first) {
    return h('aside', { class: 'side', 'aria-label': label, tabindex: 0 }, ...first,
      this.ticket && h('section', {}, h('h2', {}, 'Position'), this.held.element),
      this.ticket && h('section', {}, this.ticket.element),
      h('section', { hidden: !this.app.has('alerts') }, this.rules.element), this.controls.element)
  }

  begin(symbol) {
    this.facts = null
    this.quote.begin()
    for (const part of [this.chart, this.ticket, this.rules, this.star, this.controls]) part?.show(symbol)
  }

  stop() {
    for (const part of [this.star, this.rules, this.ticket]) part?.stop()
  }

  get row() {
    return this.app.model.bySymbol(this.symbol)
  }

  /** Shows what has changed of the row, if anything has. */
  showRow(row) {
    this.version = row?.version
    this.lead.show(this.symbol, row, this.facts)
    this.quote.show(row, this.facts)
    this.#held(row)
    this.ticket?.price(row)
    if (row) this.chart.price(row.price, row.time, row.volume)
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

  trades() {}

  bars(list) {
    this.chart.minutes(list)
  }

  colours() {
    this.chart.colours()
  }
}

export class SymbolPanel extends SymbolView {
  constructor(app) {
    super(app, { level: 'h2', link: true }, { small: true })
    this.element = this.beside('Chosen symbol', h('section', {}, this.lead.element, this.chart), h('section', {}, this.quote.element))
    this.element.hidden = true
  }

  show(symbol) {
    this.symbol = symbol
    this.element.hidden = symbol === null
    if (symbol === null) return
    this.begin(symbol)
    this.#readFacts(symbol)
    this.frame(0)
    this.second(this.app.model.marketNow)
  }

  async #readFacts(symbol) {
    const facts = await get('/symbols/' + part(symbol)).catch(() => null)
    if (symbol !== this.symbol) return
    this.facts = facts
    this.chart.showClose(units(facts?.previousClose))
    this.version = -1
    this.frame(performance.now())
  }

  frame(time) {
    if (!this.symbol) return
    const { row } = this
    if (row && row.version === this.version && row === this.shown) return
    this.shown = row
    this.showRow(row)
    this.chart.frame(time)
  }
}
