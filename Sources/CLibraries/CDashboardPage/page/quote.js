// The parts of a symbol's page: its head, its figures, its position. A part is written again only where a text changed.
import { decimal, difference, money, percent, product, short, signed, signedMoney, share, amount, units } from './decimal.js'
import { part } from './api.js'
import { h, setAttribute, setSigned, setText } from './dom.js'
import { beside, staleness } from './columns.js'

/** Name and value pairs, two in a line; what has had no value is left out. */
export class Pairs {
  constructor(names) {
    this.values = names.map(() => h('dd'))
    this.begin()
    this.element = h('dl', { class: 'pairs' }, names.map((name, index) => h('div', {}, h('dt', {}, name), this.values[index])))
  }

  /** Makes these names the last pairs, from pair `first` on. */
  end(first, names) {
    for (const value of this.values.splice(first)) value.parentNode.remove()
    names.forEach((name, index) => {
      this.element.append(h('div', {}, h('dt', {}, name), this.values[first + index] = h('dd')))
      this.filled.delete(first + index)
    })
  }

  /** For another symbol: nothing has had a value. */
  begin() {
    this.filled = new Set()
  }

  set(index, text, direction) {
    const value = this.values[index]
    if (text !== '' && text !== '–') this.filled.add(index)
    value.parentNode.hidden = !this.filled.has(index)
    if (direction === undefined) setText(value, text)
    else setSigned(value, text, direction)
  }
}

/** Symbol, name, price and change. */
export class Lead {
  /** @param {{ level: string, link?: boolean }} look with `link` the symbol leads to its page */
  constructor({ level, link = false, star = null }) {
    this.shown = {} // a part is written again only where its values changed
    this.text = link ? h('a') : document.createTextNode('')
    this.symbol = h(level, { class: 'lead-symbol' }, this.text)
    this.name = h('span', { class: 'lead-name dim' })
    this.price = h('span', { class: 'lead-price number' })
    this.change = h('span', { class: 'lead-change number' })
    this.age = h('span', { class: 'lead-age dim' })
    this.element = h('div', { class: 'lead' }, h('div', { class: 'lead-title' }, this.symbol, star?.element), this.name, this.age, this.price, this.change)
  }

  show(symbol, row, facts) {
    if (symbol !== this.shown.symbol || row?.name !== this.shown.name || facts !== this.shown.facts) {
      Object.assign(this.shown, { symbol, name: row?.name, facts })
      setText(this.text, symbol ?? '')
      if (this.text.href !== undefined && symbol) setAttribute(this.text, 'href', '/symbol/' + part(symbol))
      setText(this.name, [row?.name || facts?.name, facts?.industry].filter(Boolean).join(', '))
    }
    const price = row ? decimal(row.price, row.decimals) : '–'
    const change = row?.change ?? null
    if (price === this.shown.price && change === this.shown.change) return
    Object.assign(this.shown, { price, change })
    setText(this.price, price)
    const arrow = change > 0 ? '▲ ' : change < 0 ? '▼ ' : ''
    setSigned(this.change, row ? `${arrow}${signed(change, row.decimals)}  ${percent(row.percent)}` : '', change ?? 0)
  }

  showAge(row, now) {
    setText(this.age, row ? staleness(row, now) : '')
  }
}

const QUOTE = ['Bid', 'Ask', 'Low', 'High', 'Spread', 'Volume', 'Previous close']
const VOLUME = 5
const FACTS = ['Session', 'Venue', 'Currency', 'Tick', 'Lot']

/** Bid, ask and what else the row knows; with `facts`, what the instrument is. */
export class Quote {
  constructor({ facts = false } = {}) {
    this.withFacts = facts
    this.shown = [] // the values that are written; their texts are made again only for others
    this.pairs = new Pairs(facts ? [...QUOTE, ...FACTS] : QUOTE)
    this.element = this.pairs.element
  }

  /** Another symbol. */
  begin() {
    this.pairs.begin()
    this.shown = []
  }

  show(row, facts) {
    const close = units(facts?.previousClose)
    const values = row ? [row.bid, row.ask, row.low, row.high, difference(row.ask, row.bid), row.volume, close] : QUOTE.map(() => null)
    const decimals = row?.decimals
    values.forEach((value, index) => {
      if (value === this.shown[index] && decimals === this.decimals) return
      this.shown[index] = value
      this.pairs.set(index, index === VOLUME ? short(value) : decimal(value, decimals))
    })
    this.decimals = decimals
    this.#showBeside(row)
    if (!this.withFacts) return
    const known = facts ?? {}
    const texts = [known.session, known.venue, known.currency, known.tick, known.lot]
    texts.forEach((text, index) => this.pairs.set(QUOTE.length + index, text ?? '–'))
  }

  #showBeside(row) {
    const first = QUOTE.length + (this.withFacts ? FACTS.length : 0)
    if (this.beside !== beside) {
      this.beside = beside
      this.pairs.end(first, beside.map(column => column.head))
    }
    beside.forEach((column, index) => this.pairs.set(first + index, row ? column.text(row) : '–', row && column.direction?.(row)))
  }
}

/** A position valued at the last price on this page: exact products of exact prices. */
export function valued(position, row) {
  const quantity = units(position.quantity)
  const cost = amount(position.cost)
  const mark = row?.price ?? units(position.mark)
  const value = product(mark, quantity)
  const gain = value === null || cost === null ? null : value - cost
  return { quantity, cost, mark, value, gain, percent: share(gain, cost), decimals: row?.decimals ?? 2 }
}

const POSITION = ['Held', 'Value', 'Cost', 'Gain', 'Cost each', 'Gain %']

/** What the user's accounts hold of one symbol. */
export class Held {
  constructor() {
    this.pairs = new Pairs(POSITION)
    this.none = h('p', { class: 'dim' }, 'None held.')
    this.element = h('div', {}, this.pairs.element, this.none)
  }

  show(positions, row) {
    const held = positions.filter(position => units(position.quantity) !== 0)
    this.pairs.element.hidden = held.length === 0
    this.none.hidden = held.length > 0
    if (held.length === 0) return
    let quantity = 0n
    let value = 0n
    let cost = 0n
    for (const position of held) {
      const worth = valued(position, row)
      quantity += BigInt(worth.quantity)
      value += worth.value ?? 0n
      cost += worth.cost ?? 0n
    }
    const gain = value - cost
    const each = quantity === 0n ? null : rounded(cost, quantity)
    this.pairs.set(0, decimal(quantity))
    this.pairs.set(1, money(value))
    this.pairs.set(2, money(cost))
    this.pairs.set(3, signedMoney(gain), Number(gain))
    this.pairs.set(4, decimal(each, row?.decimals ?? 2))
    this.pairs.set(5, percent(share(gain, cost)), Number(gain))
  }
}

/** What one of a position cost: to a hundredth of a cent, half away from zero, for it is no exact number anyway. */
export function rounded(cost, quantity) {
  const step = 100_000n
  const negative = cost < 0n !== quantity < 0n
  const [top, bottom] = [cost < 0n ? -cost : cost, (quantity < 0n ? -quantity : quantity) * step]
  const size = ((top + bottom / 2n) / bottom) * step
  return negative ? -size : size
}
