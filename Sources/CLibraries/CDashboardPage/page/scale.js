// Where a chart writes its levels and its times.
import { day, minute, offset, clock } from './time.js'

/**
 * Levels between two prices at 1, 2 or 5 times a power of ten, as exact units, so that their labels are exact too, and how many
 * decimals these need.
 */
export function levels(low, high, most) {
  const least = (high - low) / Math.max(1, most)
  let step = 1n
  for (let power = 1n; ; power *= 10n) {
    const found = [1n, 2n, 5n].find(factor => Number(factor * power) >= least)
    if (found) {
      step = found * power
      break
    }
  }
  const list = []
  const first = BigInt(Math.ceil(low / Number(step)))
  for (let level = first * step; Number(level) <= high; level += step) list.push(level)
  let decimals = 0
  while (step % 10n ** BigInt(9 - decimals) !== 0n) decimals++
  return { list, decimals }
}

const STEPS = [1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400].map(seconds => seconds * 1000)
const DAY = 86400e3
const CALENDAR = [
  { least: 2 * DAY, key: (y, m, d) => Math.floor(Date.UTC(y, m, d) / (2 * DAY)) },
  { least: 7 * DAY, key: (y, m, d) => Math.floor((Date.UTC(y, m, d) / DAY + 3) / 7) },
  { least: 31 * DAY, key: (y, m) => y * 12 + m },
  { least: 92 * DAY, key: (y, m) => y * 4 + Math.floor(m / 3) },
  { least: 366 * DAY, key: y => y },
  { least: 1830 * DAY, key: y => Math.floor(y / 5) },
  { least: Infinity, key: y => Math.floor(y / 10) },
]

/**
 * The bars that carry a time: the first one of each stretch of a round length in the page's zone. Bars of days and longer are stamped
 * with the midnight UTC of their date, so that their dates are those of UTC in every zone.
 * @returns {{ index: number, text: string, date: string }[]} `date` is that of a time without one
 */
export function times(bars, from, to, length, least) {
  const span = least * length
  const dated = length >= DAY
  const local = start => (dated ? start : start + offset(start))
  const step = STEPS.find(step => step >= span)
  let key
  if (step && !(dated && step < DAY)) key = start => Math.floor(local(start) / step)
  else {
    const { key: of } = CALENDAR.find(entry => entry.least >= span)
    key = start => {
      const at = new Date(local(start))
      return of(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())
    }
  }
  const list = []
  let last = from > 0 ? key(bars[from - 1].start) : null
  for (let index = from; index < to; index++) {
    const here = key(bars[index].start)
    if (last !== null && here !== last && (list.length === 0 || index - list.at(-1).index >= least * 0.7)) {
      list.push({ index, ...label(bars[index].start, bars[index - 1]?.start ?? null, length, span, local) })
    }
    last = here
  }
  return list
}

function label(start, before, length, span, local) {
  if (length >= DAY) return { text: dayLabel(start, span), date: '' }
  const newDay = before === null || Math.floor(local(start) / DAY) !== Math.floor(local(before) / DAY)
  if (newDay || span >= DAY) return { text: day(start), date: '' }
  return { text: length < 60e3 && span < 60e3 ? clock(start) : minute(start), date: day(start) }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function dayLabel(start, span) {
  const at = new Date(start)
  const year = String(at.getUTCFullYear())
  if (span >= 300 * DAY) return year
  if (span >= 20 * DAY) return at.getUTCMonth() === 0 ? year : months[at.getUTCMonth()]
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]}`
}

/** The time of a bar in full. */
export function barTime(start, length) {
  if (length >= DAY) {
    const at = new Date(start)
    return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`
  }
  return `${day(start)} ${length < 60e3 ? clock(start) : minute(start)}`
}
