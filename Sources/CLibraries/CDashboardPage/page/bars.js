// The bars of a chart: loaded by span, kept up to date by trades, minute bars and the last price.
import { get, part } from './api.js'
import { decimalsOf, difference, units } from './decimal.js'

/**
 * A span shows so much time, in bars of the first of its lengths; of the second where these would be too many, as of a market that
 * never closes. `count` bars are loaded at first, older ones when somebody looks for them.
 */
export const spans = [
  { key: '1m', name: 'a minute', lengths: ['1s'], time: 60e3, count: 300 },
  { key: '5m', name: 'five minutes', lengths: ['1s'], time: 300e3, count: 600 },
  { key: '1h', name: 'an hour', lengths: ['1m'], time: 3600e3, count: 390 },
  { key: '1d', name: 'a day', lengths: ['5m', '15m'], time: 86400e3, count: 576 },
  { key: '1w', name: 'a week', lengths: ['15m', '1h'], time: 7 * 86400e3, count: 800 },
  { key: '1mo', name: 'a month', lengths: ['1h', '1d'], time: 31 * 86400e3, count: 800 },
  { key: '1y', name: 'a year', lengths: ['1d'], time: 366 * 86400e3, count: 800 },
  { key: 'all', name: 'all there is', lengths: ['1w'], time: Infinity, count: 1000 },
]

const TOO_MANY = 220 // bars in a span

const LENGTHS = { '1s': 1e3, '1m': 60e3, '5m': 300e3, '15m': 900e3, '1h': 3600e3, '1d': 86400e3, '1w': 7 * 86400e3 }
const MOST_BARS = 20000

function bar([start, open, high, low, close, volume]) {
  return { start, open: units(open), high: units(high), low: units(low), close: units(close), volume: units(volume ?? '0') }
}

export class BarSeries {
  constructor(symbol, span) {
    this.symbol = symbol
    this.span = span
    this.#use(span.lengths[0])
    this.bars = []
    this.decimals = 2
    this.begins = false // nothing older is known to the server
  }

  async load() {
    for (const name of this.span.lengths) {
      this.#use(name)
      this.#take(await this.#fetch(`limit=${this.span.count}`))
      const last = this.bars.at(-1)?.start
      if (this.bars.filter(bar => bar.start > last - this.span.time).length <= TOO_MANY) break
    }
    return this
  }

  #use(name) {
    this.name = name
    this.length = LENGTHS[name]
  }

  /** Older bars before the first; tells how many came. */
  async older() {
    if (this.begins || this.loading || this.bars.length === 0 || this.bars.length > MOST_BARS) return 0
    this.loading = true
    try {
      const first = this.bars[0].start
      const answer = await this.#fetch(`to=${first - 1}&limit=1000`)
      const news = answer.bars.map(bar).filter(older => older.start < first)
      this.bars = news.concat(this.bars)
      if (news.length === 0) this.begins = true
      return news.length
    } finally {
      this.loading = false
    }
  }

  /** The last two bars again, once a minute is over: only the server knows all of a longer bar. */
  async renew() {
    const { bars } = await this.#fetch('limit=2')
    for (const newer of bars.map(bar)) this.#put(newer)
  }

  #fetch(query) {
    return get(`/symbols/${part(this.symbol)}/bars?length=${this.name}&${query}`)
  }

  #take(answer) {
    this.bars = answer.bars.map(bar)
    this.loaded = true
    this.decimals = answer.decimals ?? Math.max(0, ...answer.bars.slice(-50).map(fields => decimalsOf(fields[4])))
    if (answer.bars.length < this.span.count) this.begins = true
  }

  #put(newer) {
    for (let index = this.bars.length - 1; index >= 0; index--) {
      if (this.bars[index].start === newer.start) {
        this.bars[index] = newer
        return
      }
      if (this.bars[index].start < newer.start) {
        this.bars.splice(index + 1, 0, newer)
        return
      }
    }
    this.bars.unshift(newer)
  }

  /** Minute bars of the server. Tells whether a longer bar has to be asked for. */
  minutes(list) {
    if (this.length === 60e3) {
      for (const fields of list) this.#put(bar(fields))
      return false
    }
    const last = list.at(-1)?.[0] ?? 0
    const over = this.length > 60e3 && this.minute !== undefined && last > this.minute
    this.minute = last
    return over
  }

  /** Trades, for bars of a second. */
  trades(list) {
    if (this.length >= 60e3) return
    for (const [time, price, size] of list) {
      const last = this.#at(time, units(price))
      if (last) last.volume = add(last.volume, units(size))
    }
  }

  /**
   * The last price closes the last bar; what was traded since the price before belongs to it, in bars of a second by the trades. Tells whether
   * another bar has begun, so that the one before is over and is to be asked for.
   */
  price(value, time, volume = null) {
    if (value === null || (this.bars.length === 0 && !this.loaded)) return false
    const before = this.bars.length
    const last = this.#at(time ?? this.bars.at(-1)?.start, value)
    if (this.length < 60e3) return false
    if (last && volume !== null && this.volume !== undefined && volume > this.volume) last.volume = add(last.volume, difference(volume, this.volume))
    if (volume !== null) this.volume = volume
    return before > 0 && this.bars.length > before
  }

  #at(time, price) {
    let last = this.bars.at(-1)
    if (price === null || !time) return null
    // Where the server has none the first price begins one.
    if (!last && (!this.loaded || this.length > 3600e3)) return null
    if (!last || (time >= last.start + this.length && this.length <= 3600e3)) {
      last = { start: Math.floor(time / this.length) * this.length, open: price, high: price, low: price, close: price, volume: 0 }
      this.bars.push(last)
    }
    if (time < last.start) return null
    last.close = price
    if (price > last.high) last.high = price
    if (price < last.low) last.low = price
    return last
  }
}

function add(a, b) {
  const sum = BigInt(a ?? 0) + BigInt(b ?? 0)
  return sum < 9007199254740991n ? Number(sum) : sum
}
