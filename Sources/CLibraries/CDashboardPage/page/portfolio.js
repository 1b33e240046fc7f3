// The portfolio: each account's money, its positions at the price of this moment, equity, orders, fills.
import { get, part, put, remove } from './api.js'
import { ask } from './dialogs.js'
import { amount, decimal, money, percent, product, recorded, share, signedMoney, units } from './decimal.js'
import { h, RecordTable, setSigned, setText } from './dom.js'
import { EquityChart } from './equity.js'
import { rounded, valued } from './quote.js'
import { Ticket } from './ticket.js'
import { exchangeZone, moment } from './time.js'

const HELD = 1
const CHOSEN = 2
const OPEN = new Set(['new', 'working', 'triggered', 'partially_filled'])
const SHOWN_FILLS = 100
const DRAWN_EVERY = 100 // ms

export class PortfolioView {
  constructor(app) {
    Object.assign(this, { app, title: 'Portfolio', account: app.settings.account ?? null, symbol: null, late: null })
    this.sums = h('dl', { class: 'sums' })
    this.accounts = h('div', { class: 'segments', role: 'group', 'aria-label': 'Account' })
    this.equity = new EquityChart()
    this.ticket = app.can('trade') ? new Ticket(app) : null
    this.chooser = h('button', { type: 'button', class: 'chooser', onclick: async () => this.#trade(await app.search.choose()) })
    this.positions = this.#positionTable()
    this.orders = this.#orderTable()
    this.fills = this.#fillTable()
    const section = (name, content, more) => h('section', {}, h('h2', { class: 'with-note' }, name, more), content)
    this.element = h('div', { class: 'portfolio' },
      h('div', { class: 'portfolio-main', tabindex: 0, role: 'region', 'aria-label': 'Accounts' },
        h('h1', { class: 'hidden-text' }, 'Portfolio'), this.accounts, this.sums,
        section('Positions', this.positions.element),
        section('Equity', this.equity.element, this.equity.note),
        h('div', { class: 'two' }, section('Open orders', this.orders.element), section('Fills', this.fills.element))),
      h('aside', { class: 'side', 'aria-label': 'Order', tabindex: 0, hidden: !this.ticket },
        this.ticket && h('section', {}, this.chooser), this.ticket && h('section', {}, this.ticket.element)))
  }

  async start() {
    this.#all()
    try {
      const portfolio = await get('/portfolio')
      for (const name of ['accounts', 'positions', 'orders', 'fills']) if (portfolio[name]) this.app.model.applyState({ [name]: portfolio[name] })
    } catch (error) {
      this.app.fail(error)
    }
    this.#all()
  }

  stop() {
    clearTimeout(this.late)
    this.ticket?.stop()
    this.app.look(HELD, null)
    this.app.look(CHOSEN, null)
    this.app.chooseSymbol(null)
  }

  focus() {
    this.element.firstChild.focus({ preventScroll: true })
  }

  changed(name) {
    this.ticket?.changed(name)
    this.#all()
  }

  get state() {
    return this.app.model.accounts.find(account => account.account === this.account) ?? null
  }

  #mine(list) {
    return list.filter(record => record.account === this.account)
  }

  #all() {
    const { model } = this.app
    const names = model.accounts.map(account => account.account)
    if (!names.includes(this.account)) this.account = names[0] ?? null
    this.accounts.hidden = names.length < 2
    const shown = names.join() + '/' + this.account
    if (shown !== this.namesShown) {
      this.namesShown = shown
      this.accounts.replaceChildren(...names.map(name => h('button', { type: 'button', 'aria-pressed': String(name === this.account), onclick: () => this.#choose(name) }, name)))
      this.#loadEquity()
    }
    const held = this.#mine(model.positions).filter(position => units(position.quantity) !== 0)
    this.held = held
    this.made = new Map()
    this.positions.show(held)
    const open = this.#mine(model.orders).filter(order => OPEN.has(order.state))
    this.orders.show(open.sort((a, b) => b.number - a.number))
    this.fills.show(this.#mine(model.fills).slice(-SHOWN_FILLS).reverse())
    this.app.lookAtSymbols(HELD, held.map(position => position.symbol))
    if (this.symbol === null) this.#trade(held[0]?.symbol ?? this.app.lists.current?.symbols[0] ?? [...model.symbols.keys()][0] ?? null)
    this.#sums()
  }

  /** What the account was worth in the course of the run; the line goes on from there. */
  async #loadEquity() {
    const { account } = this
    this.equity.clear()
    if (account === null) return
    try {
      const { points } = await get('/portfolio/equity?account=' + part(account))
      if (account === this.account) this.equity.begin(points.map(([time, value]) => [time, amount(value)]))
    } catch (error) {
      // Without a past the line begins now.
      if (error.status !== 404) this.app.fail(error)
    }
  }

  #choose(name) {
    this.account = name
    this.app.keep({ account: name })
    this.#all()
  }

  #trade(symbol) {
    setText(this.chooser, symbol ?? this.symbol ?? 'Choose a symbol')
    this.ticket?.element.parentNode.toggleAttribute('hidden', !symbol && !this.symbol)
    if (!symbol || !this.ticket) return
    this.symbol = symbol
    this.ticket.show(symbol)
    this.app.lookAtSymbols(CHOSEN, [symbol])
  }

  frame(time) {
    const early = DRAWN_EVERY - (time - (this.drawn ?? -Infinity))
    if (early > 0) this.late ??= setTimeout(() => this.#draw(performance.now()), early) // it may be the last frame for long
    else this.#draw(time)
  }

  #draw(time) {
    clearTimeout(this.late)
    this.late = null
    this.drawn = time
    this.positions.refresh()
    this.#sums()
    this.ticket?.price(this.app.model.bySymbol(this.symbol))
  }

  second() {
    if (this.equityNow !== undefined && this.equityNow !== null) this.equity.add(Date.now(), this.equityNow)
  }

  colours() {
    this.equity.colours()
  }

  settingsChanged() {
    this.orders.refresh()
    this.fills.refresh()
    this.equity.draw()
  }

  resized() {
    this.equity.draw()
  }

  #today(position) {
    const { model } = this.app
    const row = model.bySymbol(position.symbol)
    // A date begins with a quarter of an hour, in any zone.
    const quarter = Math.floor((row?.time ?? 0) / 900000)
    let made = this.made.get(position.symbol)
    if (made?.quarter !== quarter) this.made.set(position.symbol, made = { quarter, ...madeToday(position, row, this.#mine(model.fills)) })
    return gainToday(position, row, made)
  }

  /** The broker's equity, moved on by what the positions are worth now. */
  #sums() {
    const { state } = this
    if (!state) {
      if (!this.sums.firstChild?.dataset?.none) this.sums.replaceChildren(h('div', { 'data-none': 'yes' }, h('dt', {}, 'No account'), h('dd', { class: 'dim' }, '–')))
      return
    }
    let unrealised = 0n
    let moved = 0n
    let day = 0n
    for (const position of this.held) {
      const worth = valued(position, this.app.model.bySymbol(position.symbol))
      unrealised += worth.gain ?? 0n
      day += this.#today(position) ?? 0n
      moved += (worth.value ?? 0n) - (amount(position.value) ?? 0n)
    }
    const equity = amount(state.equity) + moved
    this.equityNow = equity
    if (this.equity.isEmpty) this.equity.add(Date.now(), equity)
    const total = equity - amount(state.deposits)
    const figures = [
      ['Equity', money(equity) + ' ' + state.currency, 0n],
      ['Since the deposit', `${signedMoney(total)}  ${percent(share(total, amount(state.deposits)))}`, total],
      ['Positions today', signedMoney(day), day],
      ['Unrealised', signedMoney(unrealised), unrealised],
      ['Realised', signedMoney(amount(state.realised)), amount(state.realised)],
      ['Fees', money(amount(state.fees)), 0n],
      ['Cash', money(amount(state.cash)), 0n],
      ['Buying power', money(amount(state.buying_power)), 0n],
    ]
    if (this.sums.childElementCount !== figures.length) this.sums.replaceChildren(...figures.map(([name]) => h('div', {}, h('dt', {}, name), h('dd'))))
    figures.forEach(([, text, direction], index) => setSigned(this.sums.children[index].lastChild, text, Number(direction)))
  }

  #positionTable() {
    const row = position => this.app.model.bySymbol(position.symbol)
    const worth = position => valued(position, row(position))
    const gain = (cell, value, text) => setSigned(cell, text, value === null ? 0 : Number(value))
    return new RecordTable({ label: 'Positions', key: position => position.symbol, empty: 'No positions.', columns: [
      { head: 'Symbol', cell: (position, cell) => void (cell.firstChild ?? cell.append(this.#symbolLink(position.symbol))) },
      { head: 'Name', optional: true, class: 'dim', cell: position => row(position)?.name ?? '' },
      { head: 'Held', number: true, cell: position => decimal(units(position.quantity)) },
      { head: 'Cost each', number: true, optional: true, cell: position => {
        const { quantity, cost, decimals } = worth(position)
        return decimal(rounded(cost, BigInt(quantity)), decimals)
      } },
      { head: 'Price', number: true, cell: position => decimal(worth(position).mark, worth(position).decimals) },
      { head: 'Value', number: true, cell: position => money(worth(position).value) },
      { head: 'Today', number: true, optional: true, cell: (position, cell) => gain(cell, this.#today(position), signedMoney(this.#today(position))) },
      { head: 'Gain', number: true, cell: (position, cell) => gain(cell, worth(position).gain, signedMoney(worth(position).gain)) },
      { head: 'Gain %', number: true, optional: true, cell: (position, cell) => gain(cell, worth(position).gain, percent(worth(position).percent)) },
      { head: 'Trade', hidden: true, number: true, optional: true, cell: (position, cell) => void (cell.firstChild ??
        (this.ticket && cell.append(h('button', { type: 'button', 'aria-label': 'Trade ' + position.symbol, onclick: () => this.#trade(position.symbol) }, 'trade')))) },
    ] })
  }

  #orderTable() {
    const shown = order => [order.limit, order.stop].filter(text => units(text) > 0).map(recorded).join(' / ') ||
      (units(order.trail) > 0 ? 'trail ' + recorded(order.trail) : units(order.trail_percent) > 0 ? `trail ${order.trail_percent}%` : 'market')
    return new RecordTable({ label: 'Open orders', key: order => order.number, empty: 'No open orders.', columns: [
      { head: 'Time', class: 'dim', optional: true, cell: order => moment(order.time) },
      { head: 'Side', cell: order => order.side },
      { head: 'Symbol', cell: (order, cell) => void (cell.firstChild ?? cell.append(this.#symbolLink(order.symbol))) },
      { head: 'Type', optional: true, class: 'dim', cell: order => order.type.replaceAll('_', ' ') },
      { head: 'Quantity', number: true, cell: order => (units(order.filled) > 0 ? `${decimal(units(order.filled))} of ${decimal(units(order.quantity))}` : decimal(units(order.quantity))) },
      { head: 'Price', number: true, cell: shown },
      { head: 'Change', hidden: true, number: true, cell: (order, cell) => void (cell.firstChild ?? cell.append(...this.#orderButtons(order))) },
    ] })
  }

  #orderButtons(order) {
    if (!this.app.can('trade')) return [document.createTextNode('')]
    const now = () => this.app.model.orders.find(each => each.number === order.number) ?? order
    return [
      h('button', { type: 'button', 'aria-label': `Replace the order for ${order.symbol}`, onclick: () => this.#replace(now()) }, 'replace'),
      h('button', { type: 'button', 'aria-label': `Cancel the order for ${order.symbol}`, onclick: () => this.#cancel(now()) }, 'cancel'),
    ]
  }

  #fillTable() {
    return new RecordTable({ label: 'Fills', key: fill => fill.number, empty: 'No fills.', columns: [
      { head: 'Time', class: 'dim', cell: fill => moment(fill.time) },
      { head: 'Side', cell: fill => fill.side },
      { head: 'Symbol', cell: (fill, cell) => void (cell.firstChild ?? cell.append(this.#symbolLink(fill.symbol))) },
      { head: 'Quantity', number: true, cell: fill => decimal(units(fill.quantity)) },
      { head: 'Price', number: true, cell: fill => recorded(fill.price) },
      { head: 'Realised', number: true, optional: true, cell: (fill, cell) => setSigned(cell, signedMoney(amount(fill.realised)), Number(amount(fill.realised) ?? 0n)) },
    ] })
  }

  #symbolLink(symbol) {
    return h('a', { href: '/symbol/' + part(symbol) }, symbol)
  }

  async #cancel(order) {
    const text = `${order.side} ${order.quantity} ${order.symbol}, ${order.type.replaceAll('_', ' ')}`
    if (!(await ask({ title: 'Cancel this order?', text, action: 'Cancel the order' }))) return
    await this.#change(() => remove('/orders/' + part(order.number)), 'The order is cancelled')
  }

  async #replace(order) {
    const fields = [{ name: 'size', label: 'Quantity', value: order.quantity }]
    if (units(order.limit) > 0) fields.push({ name: 'price', label: 'Limit', value: order.limit })
    if (units(order.stop) > 0) fields.push({ name: 'stop', label: 'Stop', value: order.stop })
    const answer = await ask({ title: `Replace the order for ${order.symbol}`, fields, action: 'Replace it' })
    if (answer) await this.#change(() => put('/orders/' + part(order.number), answer), 'The order is replaced')
  }

  async #change(action, done) {
    try {
      const answer = await action()
      const text = answer?.text ?? done
      this.app.toasts.show({ text })
      this.app.say(text)
    } catch (error) {
      this.app.fail(error)
    }
  }
}

/** What of a position was bought (for a short one: sold) on the date of its price, and what that cost. Sales take what is oldest. */
export function madeToday(position, row, fills) {
  const held = BigInt(units(position.quantity))
  const made = { quantity: 0n, cost: 0n }
  if (!row?.time) return made
  const days = new Intl.DateTimeFormat('en-GB', { timeZone: exchangeZone() })
  const date = days.format(row.time)
  for (const fill of fills.toReversed()) {
    if (fill.symbol !== position.symbol || (fill.side === 'buy') !== held > 0n || days.format(fill.time) !== date) continue
    let quantity = BigInt(units(fill.quantity)) * (held < 0n ? -1n : 1n)
    if (held < 0n ? quantity + made.quantity < held : quantity + made.quantity > held) quantity = held - made.quantity
    made.quantity += quantity
    made.cost += quantity * BigInt(units(fill.price))
  }
  return made
}

/** The gain of a position today: from the previous close, and of what was bought today from what it cost. */
export function gainToday(position, row, made) {
  const before = BigInt(units(position.quantity)) - made.quantity
  const change = before === 0n ? 0n : product(row?.change ?? null, before)
  return row?.price == null || change === null ? null : change + product(row.price, made.quantity) - made.cost
}
