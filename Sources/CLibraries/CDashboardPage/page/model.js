// What the page knows: rows by symbol number, the panes it looks at, and the records that come as text.
import { change, difference } from './decimal.js'
import { decodeFrame } from './frame.js'
import { TREND, TREND_STEP } from './trend.js'

export const MARK = { stale: 1, halted: 2 }
const MOST_ROWS = 20000 // beyond, rows that no pane shows are forgotten
const ADVANCES = 4 // frames with newer prices, after which prices are taken to flow
const KEPT_TRADES = 200
const KEPT_ALERTS = 500

/** One symbol. `version` counts its changes, so that a view knows what it has drawn. */
class Row {
  constructor(number) {
    Object.assign(this, {
      number, symbol: '', name: '', updates: 0, price: null, reference: null, change: null, percent: null, volume: null, bid: null, ask: null,
      low: null, high: null, time: null, rank: 0, decimals: 2, sizeDecimals: 0, marks: 0, version: 0, direction: 0, turned: 0, beside: null, trend: null, sampled: 0, isTrendAsked: false,
    })
  }
}

/**
 * A window into a view: `order` has the rows by their place in the view, as far as the server has told them. `list` are the numbers of
 * the rows that were told last: the server does not tell them again where another view has the same.
 */
class Pane {
  constructor() {
    this.version = 0 // of the order and the total: prices have versions of their own
    Object.assign(this, { from: 0, count: 0 })
    this.end()
  }

  /** Another view: the rows of the old one stay until it is answered. */
  begin(view) {
    Object.assign(this, { view, known: false })
  }

  /** Nothing is looked at, and the server knows it. */
  end() {
    this.begin(null)
    this.again()
  }

  /** The same view of another run: all is told again. */
  again() {
    Object.assign(this, { total: 0, order: new Map(), list: [], known: false, version: this.version + 1 })
  }
}

export class Model {
  constructor() {
    this.panes = [new Pane(), new Pane(), new Pane(), new Pane()]
    this.listeners = new Map()
    this.counts = { frames: 0, bytes: 0, leftOut: 0 }
    this.symbol = null
    this.reset(null)
  }

  /** Another run: numbers of symbols, cursors and records of the one before mean nothing in it. */
  reset(epoch) {
    this.epoch = epoch
    this.frame = 0
    this.firstFrame = null
    Object.assign(this, { newest: 0, newestBefore: 0, advances: 0, advancedAt: 0 })
    this.rows = new Map()
    this.symbols = new Map()
    for (const pane of this.panes) pane.again()
    Object.assign(this, {
      connections: [], alerts: [], accounts: [], positions: [], orders: [], fills: [], movers: {}, run: null, status: null, trades: [], tradesTold: 0,
    })
  }

  on(name, listener) {
    if (!this.listeners.has(name)) this.listeners.set(name, new Set())
    this.listeners.get(name).add(listener)
    return () => this.listeners.get(name).delete(listener)
  }

  tell(name, value) {
    for (const listener of this.listeners.get(name) ?? []) listener(value)
  }

  bySymbol(symbol) {
    return this.symbols.get(symbol) ?? null
  }

  // A frame of prices.

  applyFrame(buffer) {
    this.now = performance.now()
    const { frame, time } = decodeFrame(buffer, this)
    this.frame = frame
    this.firstFrame ??= frame
    this.counts.frames++
    this.counts.bytes += buffer.byteLength
    this.heard = Date.now()
    this.ahead = time - this.heard // how far the server's clock is ahead of ours
    if (this.newest > this.newestBefore) {
      this.newestBefore = this.newest
      this.advances++
      this.advancedAt = this.heard
    }
    if (this.rows.size > MOST_ROWS) this.#forgetUnseen()
    return frame
  }

  /**
   * The time by which prices are old. Where prices come it goes on from the newest of them, so that those of a replay are not years old;
   * until then it is the server's.
   */
  get marketNow() {
    const server = Date.now() + (this.ahead ?? 0)
    return this.advances < ADVANCES ? server : Math.min(server, this.newest + (Date.now() - this.advancedAt))
  }

  row(number) {
    let row = this.rows.get(number)
    if (!row) this.rows.set(number, row = new Row(number))
    return row
  }

  filled(row, priceBefore, updatesBefore, entered) {
    if (!entered) this.counts.leftOut += Math.max(0, row.updates - updatesBefore - 1)
    row.version++
    if (row.time > this.newest) this.newest = row.time
    row.change = difference(row.price, row.reference)
    row.percent = change(row.reference, row.price)
    if (row.symbol && this.symbols.get(row.symbol) !== row) this.symbols.set(row.symbol, row)
    if (priceBefore !== null && priceBefore !== row.price) {
      row.direction = row.price > priceBefore ? 1 : -1
      if (!entered) row.turned = this.now
    }
    this.#sample(row)
  }

  pane({ pane: index, total, from, order }) {
    const pane = this.panes[index]
    if (!pane || pane.view === null) return
    if (order || !pane.known || from !== pane.told) {
      if (order) pane.list = order
      pane.order = new Map(pane.list.map((number, place) => [from + place, this.row(number)]))
      pane.version++
    } else if (total !== pane.total) pane.version++
    if (index === 0 && order) this.#askTrends(pane)
    pane.total = total
    pane.told = from
    pane.known = true
  }

  /** The trend takes one price a second of those that came. */
  #sample(row) {
    if (row.price === null) return
    const value = Number(row.price)
    if (!row.trend) row.trend = new Float64Array(TREND).fill(NaN)
    if (this.now - row.sampled >= TREND_STEP || row.sampled === 0) {
      row.trend.copyWithin(0, 1)
      row.sampled = this.now
    }
    row.trend[TREND - 1] = value
  }

  /** The run knows the trend of before. */
  #askTrends(pane) {
    const rows = [...pane.order.values()].filter(row => row.symbol && !row.isTrendAsked)
    for (const row of rows) row.isTrendAsked = true
    if (rows.length > 0) this.tell('untrended', rows.map(row => row.symbol))
  }

  /** Takes the prices of the seconds before, oldest first, the present one last. */
  beginTrend(symbol, prices) {
    const row = this.bySymbol(symbol)
    if (!row?.trend || prices.length < 2) return
    const values = prices.slice(-TREND).map(Number)
    row.trend.fill(NaN)
    row.trend.set(values, TREND - values.length)
    row.trend[TREND - 1] = Number(row.price)
    row.version++
  }

  #forgetUnseen() {
    const seen = new Set()
    for (const pane of this.panes) for (const number of pane.list) seen.add(this.rows.get(number))
    for (const row of this.rows.values()) {
      if (seen.has(row)) continue
      this.rows.delete(row.number)
      this.symbols.delete(row.symbol)
    }
  }

  // The text that follows a frame.

  applyState(state) {
    for (const name of ['connections', 'accounts', 'positions', 'orders', 'movers', 'run', 'status']) {
      if (state[name] === undefined) continue
      this[name] = state[name]
      this.tell(name, state[name])
    }
    if (state.fills) {
      this.fills = merged(this.fills, state.fills, fill => fill.account + ' ' + fill.number).slice(-KEPT_ALERTS)
      this.tell('fills', state.fills)
    }
    if (state.alerts) {
      const known = this.alerts.at(-1)?.number ?? 0
      const news = state.alerts.filter(alert => alert.number > known)
      this.alerts = this.alerts.concat(news).slice(-KEPT_ALERTS)
      // What comes with the first frame has fired before the page was there.
      this.tell('alerts', { news, missed: state.alertsMissed ?? 0, isPast: state.frame === this.firstFrame })
    }
    if (state.trades) {
      // Their numbers tell what is new: a connection that begins again is told the last ones again.
      const { from, prints } = state.trades
      const news = prints.slice(Math.max(0, this.tradesTold - from))
      this.tradesTold = Math.max(this.tradesTold, from + prints.length)
      this.trades = this.trades.concat(news).slice(-KEPT_TRADES)
      if (news.length > 0) this.tell('trades', news)
    }
    if (state.bars) this.tell('bars', state.bars)
    for (const name of ['watchlists', 'rules', 'settings']) if (state[name]) this.tell(name, state[name])
  }

  /** Trades belong to the symbol that was chosen; another one begins without. */
  chooseSymbol(symbol) {
    this.symbol = symbol
    this.tradesTold = 0
    this.trades = []
  }
}

function merged(old, news, key) {
  const all = new Map(old.map(record => [key(record), record]))
  for (const record of news) all.set(key(record), record)
  return [...all.values()].sort((a, b) => a.time - b.time)
}
