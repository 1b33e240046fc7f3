// Gainers, losers and most active, of each period that the run has.
import { part } from './api.js'
import { percent, recorded, short, units } from './decimal.js'
import { h, RecordTable, setSigned } from './dom.js'

const LISTS = [['gainers', 'Gainers'], ['losers', 'Losers'], ['active', 'Most active']]

export class MoversView {
  constructor(app) {
    Object.assign(this, { app, title: 'Movers', period: app.settings.period ?? null })
    this.periods = h('div', { class: 'segments', role: 'group', 'aria-label': 'Period' })
    this.tables = LISTS.map(([key, name]) => this.#table(key, name))
    this.none = h('p', { class: 'none dim' }, 'No movers yet. A run shows them if a movers component is among the dashboard’s inputs.')
    this.body = h('div', { class: 'movers' }, LISTS.map(([, name], index) => h('section', {}, h('h2', {}, name), this.tables[index].element)))
    this.element = h('div', { class: 'page', tabindex: 0, role: 'region', 'aria-label': 'Movers' },
      h('h1', { class: 'hidden-text' }, 'Movers'), h('div', { class: 'toolbar' }, this.periods), this.body, this.none)
  }

  start() {
    this.changed('movers')
  }

  focus() {
    this.element.focus({ preventScroll: true })
  }

  changed(name) {
    if (name !== 'movers') return
    const { movers } = this.app.model
    const periods = Object.keys(movers)
    if (!periods.includes(this.period)) this.period = periods[0] ?? null
    this.periods.replaceChildren(...periods.map(period => h('button', {
      type: 'button', 'aria-pressed': String(period === this.period), onclick: () => this.#choose(period),
    }, period)))
    this.none.hidden = periods.length > 0
    this.body.hidden = periods.length === 0
    const lists = movers[this.period] ?? {}
    LISTS.forEach(([key], index) => this.tables[index].show((lists[key] ?? []).map((fields, place) => ({ fields, place: place + 1 }))))
  }

  next() {
    const periods = Object.keys(this.app.model.movers)
    if (periods.length > 0) this.#choose(periods[(periods.indexOf(this.period) + 1) % periods.length])
  }

  #choose(period) {
    this.period = period
    this.app.keep({ period })
    const focused = this.periods.contains(document.activeElement)
    this.changed('movers')
    if (focused) this.periods.querySelector('[aria-pressed=true]').focus()
  }

  #table(key, name) {
    return new RecordTable({ label: name, key: ({ fields }) => fields[0], empty: 'None.', columns: [
      { head: '#', class: 'dim', number: true, cell: ({ place }) => String(place) },
      { head: 'Symbol', cell: ({ fields }, cell) => void (cell.firstChild ?? cell.append(h('a', { href: '/symbol/' + part(fields[0]) }, fields[0]))) },
      { head: 'Per cent', number: true, cell: ({ fields }, cell) => {
        const value = units(fields[1])
        setSigned(cell, `${value > 0 ? '▲' : value < 0 ? '▼' : ''} ${percent(value)}`, value)
      } },
      { head: 'Price', number: true, cell: ({ fields }) => recorded(fields[2]) },
      { head: 'Mark', hidden: true, class: 'dim', folds: true, cell: ({ fields }) => (fields[4] && fields[4] !== 'unmarked' ? fields[4] : '') },
      { head: 'Volume', number: true, class: 'dim', cell: ({ fields }) => short(units(fields[3])) },
    ] })
  }
}
