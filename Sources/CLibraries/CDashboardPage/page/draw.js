// Draws a chart on a canvas. Positions are floating point; every figure that is written is an exact decimal.
import { decimal } from './decimal.js'
import { levels, times } from './scale.js'

const FOOT = 20 // the line of times
const VOLUME = 0.17 // of the height
export const LEAST_BARS = 24 // for which a chart has room: fewer stand at its right, and none of them fills it
const CLOSE = 'previous close'
const WIDEST = 25 // pixels of a candle

const sizes = new WeakMap()
const observer = new ResizeObserver(entries => {
  for (const { target, contentRect } of entries) {
    const { width, height } = contentRect
    sizes.set(target, { width, height })
    changes.get(target)()
  }
})
const changes = new WeakMap()

/** Calls `draw` whenever the canvas has another size. Asking for the size while drawing would lay out the page each time. */
export function watchSize(canvas, draw) {
  changes.set(canvas, draw)
  observer.observe(canvas)
}

/** A context for the canvas in the page's pixels; null if it is not shown. */
export function contextOf(canvas) {
  const { width, height } = sizes.get(canvas) ?? { width: 0, height: 0 }
  if (!width || !height) return null
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
  }
  const context = canvas.getContext('2d')
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  return { context, width, height }
}

/** The range of prices and the greatest volume between two bars; a previous close belongs to it unless it would halve the rest. */
function range(bars, from, to, close) {
  let low = Infinity
  let high = -Infinity
  let volume = 0
  for (let index = from; index < to; index++) {
    low = Math.min(low, Number(bars[index].low))
    high = Math.max(high, Number(bars[index].high))
    volume = Math.max(volume, Number(bars[index].volume))
  }
  if (close !== null && Math.max(high, close) - Math.min(low, close) <= 2 * (high - low)) {
    low = Math.min(low, close)
    high = Math.max(high, close)
  }
  const margin = (high - low || Math.abs(high) * 0.001 || 1) * 0.05
  return { low: low - margin, high: high + margin, volume }
}

/**
 * @param {{ bars: any[], decimals: number, length: number }} series
 * @param {{ from: number, to: number, kind: 'candles' | 'line', at: number, pointerY: number | null, small: boolean, close: any, colours: any, font: string }} look
 *   `close` is the previous close, or null
 * @returns {{ step: number, first: number } | null} the width of a bar, and the index at the left edge, which is no bar where there are few
 */
export function drawChart(canvas, series, look) {
  const surface = contextOf(canvas)
  if (!surface || look.to <= look.from) return null
  const { context, width: all, height: tall } = surface
  const { bars, decimals } = series
  const { from, to, small, colours } = look
  context.font = `11px ${look.font}`
  context.textBaseline = 'middle'
  const prices = range(bars, from, to, look.close === null ? null : Number(look.close))
  const first = small ? from : Math.min(from, to - LEAST_BARS)
  const axis = small ? 0 : Math.ceil(context.measureText(decimal(bars[to - 1].high, decimals)).width) + 16
  const area = { context, colours, from, to, bars, decimals, axis, all, prices }
  area.width = all - axis
  area.height = small ? tall : tall - FOOT
  area.volume = small ? 0 : Math.round(area.height * VOLUME)
  area.plot = area.height - area.volume - (small ? 2 : 14)
  area.step = area.width / (to - first)
  area.x = index => (index - first + 0.5) * area.step
  area.y = value => 2 + ((prices.high - Number(value)) / (prices.high - prices.low)) * (area.plot - 4)
  if (!small) {
    drawLevels(area)
    drawTimes(area, series, tall)
    drawVolume(area)
  }
  if (look.kind === 'line' || small) drawLine(area, small)
  else drawCandles(area)
  drawClose(area, small, look.close)
  if (!small) drawLast(area)
  if (!small && look.at >= from && look.at < to) drawCrosshair(area, look)
  return { step: area.step, first }
}

const sharp = value => Math.round(value) + 0.5

function rule(context, x1, y1, x2, y2) {
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x2, y2)
  context.stroke()
}

/** Where the line of the last price is. */
function lastAt({ bars, plot, y }) {
  return sharp(Math.max(4, Math.min(plot, y(bars.at(-1).close))))
}

function drawLevels(area) {
  const { context, colours, prices, plot, y, width, all, decimals } = area
  const last = lastAt(area)
  context.textAlign = 'right'
  context.lineWidth = 1
  const found = levels(prices.low, prices.high, Math.max(3, plot / 60))
  const shown = Math.min(decimals, Math.max(2, found.decimals))
  for (const level of found.list) {
    const at = sharp(y(level))
    context.strokeStyle = colours.line
    rule(context, 0, at, width, at)
    context.fillStyle = colours.dim
    if (Math.abs(at - last) >= 14) context.fillText(decimal(level, shown), all - 4, at) // nearer, the last price would cover half of it
  }
}

function drawTimes({ context, colours, bars, from, to, step, x, width, height }, series, tall) {
  context.strokeStyle = colours.line
  rule(context, 0, sharp(height), width, sharp(height))
  context.textAlign = 'center'
  context.fillStyle = colours.dim
  let end = 0
  for (const { index, text, date } of times(bars, from, to, series.length, Math.max(1, Math.ceil(76 / step)))) {
    // The first time has its date, and after it each that begins another one.
    const shown = end === 0 && date ? `${date} ${text}` : text
    const half = context.measureText(shown).width / 2
    const at = x(index)
    if (at - half < end || at + half > width) continue
    context.fillText(shown, at, tall - 8)
    end = at + half + 8
  }
}

function drawVolume({ context, colours, bars, from, to, x, step, height, volume, prices }) {
  if (prices.volume === 0) return
  context.fillStyle = colours.volume
  const wide = Math.max(1, Math.min(WIDEST, step * 0.62))
  for (let index = from; index < to; index++) {
    const tall = (Number(bars[index].volume) / prices.volume) * volume
    if (tall > 0) context.fillRect(x(index) - wide / 2, height - Math.max(1, tall), wide, Math.max(1, tall))
  }
}

function drawLine({ context, colours, bars, from, to, x, y }, small) {
  context.beginPath()
  for (let index = from; index < to; index++) {
    if (index === from) context.moveTo(x(index), y(bars[index].close))
    else context.lineTo(x(index), y(bars[index].close))
  }
  const rising = bars[to - 1].close >= bars[from].open
  context.strokeStyle = small ? (rising ? colours.up : colours.down) : colours.accent
  context.lineWidth = 1.4
  context.lineJoin = 'round'
  context.stroke()
}

/** Rising candles are hollow: colour is not the only sign. */
function drawCandles({ context, colours, bars, from, to, x, y, step }) {
  const wide = Math.max(1, Math.min(WIDEST, Math.floor((step * 0.72 - 1) / 2) * 2 + 1))
  context.lineWidth = 1
  for (let index = from; index < to; index++) {
    const { open, high, low, close } = bars[index]
    const rising = close >= open
    const middle = Math.round(x(index))
    const top = Math.round(y(rising ? close : open))
    const bottom = Math.max(top + 1, Math.round(y(rising ? open : close)))
    context.strokeStyle = context.fillStyle = rising ? colours.up : colours.down
    rule(context, middle + 0.5, y(high), middle + 0.5, top)
    rule(context, middle + 0.5, bottom, middle + 0.5, y(low))
    const left = middle - (wide - 1) / 2
    if (rising && wide > 3) context.strokeRect(left + 0.5, top + 0.5, wide - 1, Math.max(1, bottom - top - 1))
    else context.fillRect(left, top, wide, bottom - top)
  }
}

function dashed({ context, width }, at, colour) {
  context.setLineDash([2, 3])
  context.strokeStyle = colour
  context.lineWidth = 1
  rule(context, 0, at, width, at)
  context.setLineDash([])
}

function drawLast(area) {
  const at = lastAt(area)
  dashed(area, at, area.colours.accent)
  tag(area, at, decimal(area.bars.at(-1).close, area.decimals), area.colours.accent)
}

/** The previous close, where it is among the prices; in a small chart the first price if there is none. */
function drawClose(area, small, close) {
  const { context, colours, bars, from, prices, y } = area
  const value = close ?? (small ? bars[from].open : null)
  if (value === null || Number(value) < prices.low || Number(value) > prices.high) return
  const at = sharp(y(value))
  dashed(area, at, small ? colours.line : colours.dim)
  if (small) return
  if (Math.abs(at - lastAt(area)) >= 16) tag(area, at, decimal(value, area.decimals), colours.dim)
  context.textAlign = 'left'
  context.fillStyle = colours.ground
  context.fillRect(0, at - 15, context.measureText(CLOSE).width + 4, 14)
  context.fillStyle = colours.dim
  context.fillText(CLOSE, 2, at - 8)
}

function drawCrosshair(area, { at, pointerY }) {
  const { context, colours, bars, plot, height, x, y, width, prices, decimals } = area
  const across = sharp(x(at))
  const inside = pointerY !== null && pointerY < plot
  const down = sharp(inside ? pointerY : y(bars[at].close))
  context.strokeStyle = colours.dim
  rule(context, across, 0, across, height)
  rule(context, 0, down, width, down)
  tag(area, down, inside ? pointed(area, pointerY) : decimal(bars[at].close, decimals), colours.ink)
  function pointed() {
    // The price under the pointer, to a step that belongs to the shown decimals: more would be an invention.
    const value = prices.high - ((pointerY - 2) / (plot - 4)) * (prices.high - prices.low)
    const step = 10 ** (9 - Math.min(9, decimals))
    return decimal(BigInt(Math.round(value / step)) * BigInt(step), decimals)
  }
}

function tag({ context, colours, width, axis, all }, at, text, ground) {
  context.fillStyle = ground
  context.fillRect(width + 2, at - 8, axis - 2, 16)
  context.fillStyle = colours.ground
  context.textAlign = 'right'
  context.fillText(text, all - 4, at + 0.5)
}
