// The narrow column beside the prices: the chosen symbol at a glance, its ticket, its alerts.
import { get, part } from './api.js'
import { Controls } from './controls.js'
import { units } from './decimal.js'
import { h } from './dom.js'
import { RuleList } from './rules.js'
import './chart.js'
import { Held, Lead, Quote } from './quote.js'
import { Star } from './star.js'
import { Ticket } from './ticket.js'

export class SymbolPanel {
  constructor(app) {
    this.app = app
    this.star = new Star(app)
    this.lead = new Lead({ level: 'h2', link: true, star: this.star })
    this.chart = document.createElement('price-chart').setUp({ app, small: true })
    this.quote = new Quote()
    this.held = new Held()
    this.ticket = app.can('trade') ? new Ticket(app) : null
    this.rules = new RuleList(app)
    this.controls = new Controls(app)
    this.element = h('aside', { class: 'side', 'aria-label': 'Chosen symbol', tabindex: 0 },
      h('section', {}, this.lead.element, this.chart),
      h('section', {}, this.quote.element),
      this.ticket && h('section', {}, h('h2', {}, 'Position'), this.held.element),
      this.ticket && h('section', {}, this.ticket.element),
      h('section', { hidden: !app.has('alerts') }, this.rules.element), this.controls.element)
    this.element.hidden = true
  }

  show(symbol) {
    this.symbol = symbol
    this.element.hidden = symbol === null
    if (symbol === null) return
    this.facts = null
    this.quote.begin()
    this.chart.show(symbol)
    this.#readFacts(symbol)
    this.ticket?.show(symbol)
    this.rules.show(symbol)
    this.star.show(symbol)
    this.controls.show(symbol)
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

  stop() {
    this.star.stop()
    this.rules.stop()
    this.ticket?.stop()
  }

  get row() {
    return this.app.model.bySymbol(this.symbol)
  }

  frame(time) {
    if (!this.symbol) return
    const { row } = this
    if (row && row.version === this.version && row === this.shown) return
    this.version = row?.version
    this.shown = row
    this.lead.show(this.symbol, row)
    this.quote.show(row, this.facts)
    this.#held(row)
    this.ticket?.price(row)
    if (row) this.chart.price(row.price, row.time, row.volume)
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

  trades() {}

  bars(list) {
    this.chart.minutes(list)
  }

  colours() {
    this.chart.colours()
  }
}
