// The small line in a row: the prices of the last minutes that this page has seen, one a second at most.

export const TREND = 60
export const TREND_STEP = 1000
const LEAST = 4 // points below which a line would say nothing

/**
 * The line as a path in a box of 100 by 100, and whether the last price is above or below the first one drawn; no path if there is no line.
 * A path and no canvas, because a browser keeps a layer for each canvas, and fifty layers cost more than fifty prices.
 * @param {Float64Array | null} trend
 */
export function trendPath(trend) {
  let first = 0
  while (trend && first < TREND && Number.isNaN(trend[first])) first++
  if (!trend || TREND - first < LEAST) return { path: '', way: '' }
  let low = Infinity
  let high = -Infinity
  for (let index = first; index < TREND; index++) {
    if (trend[index] < low) low = trend[index]
    if (trend[index] > high) high = trend[index]
  }
  const step = 100 / (TREND - 1 - first) // what was seen takes the whole width
  let path = ''
  for (let index = first; index < TREND; index++) {
    const y = high === low ? 50 : 5 + (1 - (trend[index] - low) / (high - low)) * 90
    path += `${path ? 'L' : 'M'}${((index - first) * step).toFixed(1)} ${y.toFixed(1)}`
  }
  const difference = trend[TREND - 1] - trend[first]
  return { path, way: difference > 0 ? 'up' : difference < 0 ? 'down' : '' }
}
