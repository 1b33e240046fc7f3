// The chart of a symbol: spans, candles or line, crosshair, zoom, pan. To a screen reader it is a slider over the bars:
// the arrow keys read one bar after the other.
import { BarSeries, spans } from './bars.js'
import { change, decimal, percent, short } from './decimal.js'
import { colours, h, setAttribute, setText } from './dom.js'
import { drawChart, LEAST_BARS, watchSize } from './draw.js'
import { barTime } from './scale.js'

const USUAL = spans.find(span => span.key === '1d')

export class PriceChart extends HTMLElement {
  /** @param {{ app: any, small?: boolean }} parts */
  setUp({ app, small = false }) {
    Object.assign(this, { app, small, span: spans.find(span => !small && span.key === app.settings.span) ?? USUAL, kind: app.settings.chart ?? 'candles' })
    Object.assign(this, { symbol: null, series: null, from: 0, to: 0, at: -1, pointerY: null, step: 1, first: 0, close: null })
    this.canvas = h('canvas', small ? { role: 'img', 'aria-label': 'Chart' } : { tabindex: 0, role: 'slider', 'aria-label': 'Chart', 'aria-orientation': 'horizontal', 'aria-valuemin': 1, 'aria-valuemax': 1, 'aria-valuenow': 1 })
    this.note = h('p', { class: 'dim chart-note' })
    if (small) this.replaceChildren(this.canvas, this.note)
    else {
      this.read = h('output', { class: 'chart-read', 'aria-hidden': 'true' })
      this.replaceChildren(h('div', { class: 'chart-top' }, this.#spanButtons(), this.#kindButtons()), this.canvas, this.read, this.note)
      this.#listen()
    }
    watchSize(this.canvas, () => this.draw())
    this.colours()
    return this
  }

  colours() {
    this.palette = colours('ink', 'dim', 'line', 'up', 'down', 'accent', 'ground', 'volume')
    this.font = getComputedStyle(document.body).fontFamily
    this.draw()
  }

  /** Shows another symbol. */
  show(symbol) {
    if (symbol === this.symbol) return
    Object.assign(this, { symbol, close: null })
    return this.load(this.small || !this.app.settings.span ? USUAL : this.span)
  }

  /** The previous close, or null. */
  showClose(price) {
    if (price === this.close) return
    this.close = price
    this.draw()
  }

  /** Bars of the span; where nobody has chosen one, of the longest that has enough of them, of which a line needs more than candles. */
  async #bars(span) {
    const least = this.small ? LEAST_BARS : LEAST_BARS / 3
    const shorter = this.small || !this.app.settings.span ? spans.slice(0, spans.indexOf(span)).reverse() : []
    let series = await new BarSeries(this.symbol, span).load()
    for (const next of shorter) {
      if (series.bars.length >= least) break
      const finer = await new BarSeries(series.symbol, next).load()
      if (finer.bars.length > series.bars.length) series = finer
    }
    return series
  }

  async load(span) {
    const { symbol } = this
    this.span = span
    this.#press('span', span.key)
    this.series = this.series?.symbol === symbol ? this.series : null
    setText(this.note, '')
    let series = new BarSeries(symbol, span)
    try {
      series = await this.#bars(span)
    } catch (error) {
      if (this.symbol === symbol && this.span === span) setText(this.note, error.message)
    }
    if (this.symbol !== symbol || this.span !== span) return
    this.series = series
    this.span = series.span
    this.#press('span', this.span.key)
    if (series.bars.length === 0 && !this.note.textContent) setText(this.note, 'No bars of this length yet')
    this.#showSpan()
  }

  #showSpan() {
    const { bars } = this.series
    const last = bars.at(-1)?.start ?? 0
    this.to = bars.length
    const first = bars.findIndex(bar => bar.start > last - this.span.time)
    this.from = Math.max(0, Math.min(first, bars.length - LEAST_BARS))
    this.at = -1
    this.#summary()
    this.draw()
  }

  // What comes while it is open.

  minutes(list) {
    this.#keepEnd(() => this.series.minutes(list) && this.#renew())
  }

  trades(list) {
    this.#keepEnd(() => this.series.trades(list))
  }

  price(value, time, volume) {
    this.#keepEnd(() => this.series.price(value, time, volume) && this.#renew())
  }

  #renew() {
    this.series.renew().then(() => this.draw(), () => {})
  }

  /** A chart that shows the last bar goes on showing it when another one comes. */
  #keepEnd(take) {
    if (!this.series) return
    const before = this.series.bars.length
    const atEnd = this.to === before
    take()
    const more = this.series.bars.length - before
    if (before === 0 && more > 0) { // the first bar of a symbol without a past
      setText(this.note, '')
      this.#showSpan()
    } else if (atEnd && more > 0) {
      this.from += more
      this.to += more
    }
    this.changed = true
  }

  /** Draws what has come since, some times a second. */
  frame(time) {
    if (!this.changed) return
    const early = (this.small ? 500 : 100) - (time - (this.drawn ?? -Infinity))
    if (early > 0) { // it may be the last frame for long
      this.late ??= setTimeout(() => this.frame(performance.now() + 1), early)
      return
    }
    clearTimeout(this.late)
    this.late = null
    this.drawn = time
    this.changed = false
    this.draw()
  }

  draw() {
    if (!this.series || this.series.bars.length === 0 || !this.isConnected) {
      const context = this.canvas?.getContext('2d')
      context?.clearRect(0, 0, this.canvas.width, this.canvas.height)
      return
    }
    const look = { from: this.from, to: this.to, kind: this.kind, at: this.at, pointerY: this.pointerY, small: this.small, close: this.span.time <= 86400e3 ? this.close : null, colours: this.palette, font: this.font }
    const drawn = drawChart(this.canvas, this.series, look)
    if (drawn) Object.assign(this, drawn)
    if (this.read) setText(this.read, this.#text(this.at >= 0 ? this.at : this.series.bars.length - 1))
  }

  #text(index) {
    const { bars, decimals, length } = this.series
    const { start, open, high, low, close, volume } = bars[index]
    const [o, hi, lo, c] = [open, high, low, close].map(value => decimal(value, decimals))
    return `${barTime(start, length)}  O ${o}  H ${hi}  L ${lo}  C ${c}  ${percent(change(open, close))}  V ${short(volume)}`
  }

  #summary() {
    const { bars, decimals } = this.series
    let text = `Chart of ${this.symbol}, ${this.span.name}`
    if (bars.length > 0) {
      const shown = bars.slice(this.from, this.to)
      const high = shown.reduce((most, bar) => (bar.high > most ? bar.high : most), shown[0].high)
      const low = shown.reduce((least, bar) => (bar.low < least ? bar.low : least), shown[0].low)
      const moved = percent(change(shown[0].open, shown.at(-1).close))
      text += `: from ${decimal(shown[0].open, decimals)} to ${decimal(shown.at(-1).close, decimals)}, ${moved}, high ${decimal(high, decimals)}, low ${decimal(low, decimals)}`
    } else text += ': no bars'
    setAttribute(this.canvas, 'aria-label', text)
    if (this.small) return
    setAttribute(this.canvas, 'aria-valuemax', Math.max(1, bars.length))
    setAttribute(this.canvas, 'aria-valuenow', Math.max(1, bars.length))
    if (bars.length > 0) setAttribute(this.canvas, 'aria-valuetext', this.#text(bars.length - 1))
  }

  // Looking around.

  point(index) {
    const count = this.series?.bars.length ?? 0
    if (count === 0) return
    this.at = Math.max(0, Math.min(index, count - 1))
    if (this.at < this.from) this.pan(this.at - this.from)
    else if (this.at >= this.to) this.pan(this.at - this.to + 1)
    setAttribute(this.canvas, 'aria-valuenow', this.at + 1)
    setAttribute(this.canvas, 'aria-valuetext', this.#text(this.at))
    this.draw()
  }

  pan(by) {
    if (!this.series) return
    const count = this.to - this.from
    this.from = Math.max(0, Math.min(this.from + by, this.series.bars.length - count))
    this.to = this.from + count
    if (this.from === 0) this.#older()
    this.draw()
  }

  zoom(factor) {
    if (!this.series) return
    const all = this.series.bars.length
    const count = Math.max(Math.min(LEAST_BARS, all), Math.min(all, Math.round((this.to - this.from) * factor)))
    this.from = Math.max(0, Math.min(this.to - count, all - count))
    this.to = this.from + count
    if (this.from === 0 && factor > 1) this.#older()
    this.draw()
  }

  async #older() {
    const { series } = this
    const more = await series.older().catch(() => 0)
    if (more === 0 || series !== this.series) return
    this.from += more
    this.to += more
    if (this.at >= 0) this.at += more
    setAttribute(this.canvas, 'aria-valuemax', series.bars.length)
    this.draw()
  }

  nextSpan(by) {
    const index = spans.indexOf(this.span) + by
    if (spans[index]) this.choose(spans[index])
  }

  choose(span) {
    this.app.keep({ span: span.key })
    this.load(span)
  }

  turnKind() {
    this.kind = this.kind === 'line' ? 'candles' : 'line'
    this.app.keep({ chart: this.kind })
    this.#press('kind', this.kind)
    this.draw()
  }

  #spanButtons() {
    const button = span => h('button', { type: 'button', 'data-span': span.key, 'aria-pressed': String(span === this.span), title: span.name, onclick: () => this.choose(span) }, span.key)
    return h('div', { role: 'group', 'aria-label': 'Span', class: 'segments' }, spans.map(button))
  }

  #kindButtons() {
    const button = kind => h('button', { type: 'button', 'data-kind': kind, 'aria-pressed': String(kind === this.kind), onclick: () => kind !== this.kind && this.turnKind() }, kind)
    return h('div', { role: 'group', 'aria-label': 'Kind of chart', class: 'segments' }, ['candles', 'line'].map(button))
  }

  #press(what, value) {
    for (const button of this.querySelectorAll(`[data-${what}]`)) setAttribute(button, 'aria-pressed', button.dataset[what] === value)
  }

  #listen() {
    const { canvas } = this
    let dragged = null
    canvas.addEventListener('pointerdown', event => {
      dragged = event.clientX
      canvas.setPointerCapture(event.pointerId)
    })
    canvas.addEventListener('pointerup', () => (dragged = null))
    canvas.addEventListener('pointercancel', () => (dragged = null))
    canvas.addEventListener('pointermove', event => {
      const box = canvas.getBoundingClientRect()
      if (dragged !== null && event.buttons === 1) {
        const by = Math.round((dragged - event.clientX) / this.step)
        if (by === 0) return
        dragged -= by * this.step
        this.pan(by)
        return
      }
      const index = this.first + Math.floor((event.clientX - box.left) / this.step)
      this.pointerY = event.clientY - box.top
      this.at = index >= this.from && index < this.to ? index : -1
      this.draw()
    })
    canvas.addEventListener('pointerleave', () => {
      this.at = -1
      this.pointerY = null
      this.draw()
    })
    canvas.addEventListener('wheel', event => {
      event.preventDefault()
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(Math.sign(event.deltaX) * Math.max(1, Math.round((this.to - this.from) / 40)))
      else this.zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15)
    }, { passive: false })
    canvas.addEventListener('keydown', event => this.#key(event))
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    this.pointerY = null
    const last = (this.series?.bars.length ?? 0) - 1
    const step = event.key === 'ArrowLeft' ? -1 : 1
    const does = {
      ArrowLeft: () => this.point(this.at < 0 ? last : this.at + step),
      ArrowRight: () => this.point(this.at < 0 ? last : this.at + step),
      ArrowUp: () => this.zoom(1 / 1.25),
      ArrowDown: () => this.zoom(1.25),
      PageUp: () => this.pan(-Math.ceil((this.to - this.from) / 2)),
      PageDown: () => this.pan(Math.ceil((this.to - this.from) / 2)),
      Home: () => this.point(0),
      End: () => this.point(last),
    }[event.key]
    if (!does) return
    event.preventDefault()
    event.stopPropagation()
    does()
  }
}

customElements.define('price-chart', PriceChart)
