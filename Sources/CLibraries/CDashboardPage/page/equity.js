// The line of an account's equity: what the server knows of this run, then a point for every second that it is on the page.
import { money, signedMoney } from './decimal.js'
import { colours, h, setAttribute, setText } from './dom.js'
import { contextOf, watchSize } from './draw.js'
import { day, minute, moment } from './time.js'

const MOST = 5000
const AXIS = 84

export class EquityChart {
  constructor() {
    this.points = []
    this.canvas = h('canvas', { role: 'img', 'aria-label': 'Equity over time' })
    this.element = h('div', { class: 'equity' }, this.canvas)
    this.note = h('small', { class: 'dim' })
    watchSize(this.canvas, () => this.draw())
    this.colours()
  }

  get isEmpty() {
    return this.points.length === 0
  }

  clear() {
    this.points = []
    this.draw()
  }

  /** @param {[number, bigint][]} points of before */
  begin(points) {
    const first = this.points[0]?.[0] ?? Infinity
    this.points = points.filter(([time]) => time < first).concat(this.points)
    this.draw()
  }

  /** @param {bigint} value */
  add(time, value) {
    this.points.push([time, value])
    if (this.points.length > MOST) this.points = this.points.filter((_, index) => index % 2 === 0)
    this.draw()
  }

  colours() {
    this.palette = colours('accent', 'line', 'dim')
    this.draw()
  }

  draw() {
    const surface = contextOf(this.canvas)
    if (!surface) return
    if (this.isEmpty) {
      setText(this.note, '')
      return
    }
    const { context, width, height } = surface
    const { points, palette } = this
    let low = points[0][1]
    let high = low
    for (const [, value] of points) {
      if (value < low) low = value
      if (value > high) high = value
    }
    const [start, end] = [points[0][0], points.at(-1)[0]]
    const right = width - AXIS
    const x = time => ((time - start) / Math.max(1, end - start)) * (right - 2)
    const y = value => (high === low ? (height - 18) / 2 : 8 + (1 - Number(value - low) / Number(high - low)) * (height - 34))
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`
    context.textBaseline = 'middle'
    context.lineWidth = 1
    for (const value of high === low ? [high] : [high, low]) {
      const at = Math.round(y(value)) + 0.5
      context.strokeStyle = palette.line
      context.beginPath()
      context.moveTo(0, at)
      context.lineTo(right, at)
      context.stroke()
      context.fillStyle = palette.dim
      context.textAlign = 'right'
      context.fillText(money(value), width - 2, at)
    }
    context.textAlign = 'left'
    const [first, last] = [start, end].map(time => `${day(time)} ${minute(time)}`)
    context.fillText(first, 0, height - 7)
    context.textAlign = 'right'
    if (last !== first) context.fillText(day(end) === day(start) ? minute(end) : last, right, height - 7)
    context.beginPath()
    points.forEach(([time, value], index) => (index === 0 ? context.moveTo(x(time), y(value)) : context.lineTo(x(time), y(value))))
    context.strokeStyle = palette.accent
    context.lineWidth = 1.5
    context.lineJoin = 'round'
    context.stroke()
    const change = points.at(-1)[1] - points[0][1]
    setText(this.note, `${signedMoney(change)} since ${moment(start)}`)
    setAttribute(this.canvas, 'aria-label', `Equity from ${money(points[0][1])} to ${money(points.at(-1)[1])} since ${moment(start)}, lowest ${money(low)}, highest ${money(high)}`)
  }
}
