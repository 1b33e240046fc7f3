// The small line in a row: the prices of the last minutes that this page has seen, one a second at most.

export const TREND = 60
export const TREND_STEP = 1000
const LEAST = 4 // points below which a line would say nothing

/**
 * Draws the trend of a row. Its colour says whether the last price is above or below the first one drawn.
 * @param {{ width: number, height: number }} size in the page's pixels; asking the canvas would lay out the page
 */
export function drawTrend(canvas, trend, { width, height }, colours) {
  const ratio = devicePixelRatio
  const pixels = Math.round(width * ratio)
  if (canvas.width !== pixels || canvas.height !== Math.round(height * ratio)) {
    canvas.width = pixels
    canvas.height = Math.round(height * ratio)
  }
  const context = canvas.getContext('2d')
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  if (!trend) return
  let first = 0
  while (first < TREND && Number.isNaN(trend[first])) first++
  if (TREND - first < LEAST) return
  let low = Infinity
  let high = -Infinity
  for (let index = first; index < TREND; index++) {
    if (trend[index] < low) low = trend[index]
    if (trend[index] > high) high = trend[index]
  }
  const range = high - low || 1
  const step = (width - 3) / (TREND - 1 - first) // what was seen takes the whole width
  context.beginPath()
  for (let index = first; index < TREND; index++) {
    const x = 1 + (index - first) * step
    const y = high === low ? height / 2 : 1.5 + (1 - (trend[index] - low) / range) * (height - 3)
    if (index === first) context.moveTo(x, y)
    else context.lineTo(x, y)
  }
  const difference = trend[TREND - 1] - trend[first]
  context.strokeStyle = difference > 0 ? colours.up : difference < 0 ? colours.down : colours.dim
  context.lineWidth = 1.2
  context.lineJoin = 'round'
  context.stroke()
}
