// The columns of the table of prices.
import { decimal, difference, figure, percent, short, signed } from './decimal.js'
import { plain } from './dom.js'
import { MARK } from './model.js'
import { age, clock, lasting } from './time.js'

const OLD = 15000 // ms without a price, from which on its age is shown

/**
 * A column: `value` is what is compared to see whether the cell changed, `text` what is shown, `direction` what colours it.
 * `sort` is the server's name of the order, `down` means that the first click sorts from the greatest.
 */
export const columns = [
  { key: 'rank', head: '#', title: 'Rank', number: true, width: '46px', sort: 'rank', value: row => row.rank, text: row => (row.rank ? String(row.rank) : '') },
  { key: 'symbol', head: 'Symbol', width: '104px', sort: 'symbol', value: row => row.symbol, text: row => plain(row.symbol) },
  { key: 'name', head: 'Name', width: 'minmax(80px, 1.6fr)', value: row => row.name, text: row => plain(row.name) },
  {
    key: 'price', head: 'Price', number: true, down: true, width: 'minmax(118px, .5fr)', sort: 'price',
    value: row => row.price, text: row => decimal(row.price, row.decimals),
  },
  {
    key: 'change', head: 'Change', number: true, down: true, width: 'minmax(84px, .5fr)', sort: 'change',
    value: row => row.change, text: row => signed(row.change, row.decimals), direction: row => row.change,
  },
  {
    key: 'percent', head: '%', title: 'Per cent', number: true, down: true, width: '78px', sort: 'percent',
    value: row => row.percent, text: row => percent(row.percent), direction: row => row.percent,
  },
  { key: 'trend', head: 'Trend', width: 'minmax(108px, .6fr)', line: true },
  { key: 'bid', head: 'Bid', number: true, down: true, width: 'minmax(80px, .8fr)', sort: 'bid', value: row => row.bid, text: row => decimal(row.bid, row.decimals) },
  { key: 'ask', head: 'Ask', number: true, down: true, width: 'minmax(80px, .8fr)', sort: 'ask', value: row => row.ask, text: row => decimal(row.ask, row.decimals) },
  {
    key: 'spread', head: 'Spread', number: true, width: 'minmax(66px, .6fr)', sort: 'spread',
    value: spread, text: row => decimal(spread(row), row.decimals),
  },
  { key: 'low', head: 'Low', number: true, width: 'minmax(80px, .8fr)', sort: 'low', value: row => row.low, text: row => decimal(row.low, row.decimals) },
  { key: 'high', head: 'High', number: true, down: true, width: 'minmax(80px, .8fr)', sort: 'high', value: row => row.high, text: row => decimal(row.high, row.decimals) },
  { key: 'volume', head: 'Volume', number: true, down: true, width: '80px', sort: 'volume', value: row => row.volume, text: row => short(row.volume) },
  { key: 'updates', head: 'Updates', number: true, down: true, width: '80px', sort: 'updates', value: row => row.updates, text: row => String(row.updates) },
  { key: 'time', head: 'Time', title: 'When the price is from', number: true, down: true, width: '78px', sort: 'time', value: row => row.time, text: row => (row.time === null ? '–' : clock(row.time)) },
  { key: 'age', head: 'Age', title: 'Age of the price, where it is old', number: true, width: '84px', slow: true },
]

export const columnOf = new Map(columns.map(column => [column.key, column]))
export const usualColumns = ['rank', 'symbol', 'name', 'price', 'change', 'percent', 'trend', 'bid', 'ask', 'volume', 'age']
// Left out until a row has something for them, where nobody has chosen the columns.
const FOLDING = {
  name: row => row.name !== '', bid: row => row.bid !== null, ask: row => row.ask !== null, volume: row => Number(row.volume) > 0,
  age: (row, now) => staleness(row, now) !== '',
}

const known = text => value => (value === null ? '–' : text(value))
// The least width and the text of columns beside the events.
const KINDS = {
  number: [84, figure], percent: [78, percent], duration: [72, known(lasting)],
  time: [78, known(value => clock(Number(value) / 1e6))], flag: [60, known(value => (value ? 'yes' : 'no'))],
}
/** The columns beside the events, in the order of a frame's values; another list where they are others. */
export let beside = []

/** Takes those that the server names; tells whether they are others. */
export function setBeside(infos) {
  if (JSON.stringify(infos) === JSON.stringify(beside.map(({ sort: name, kind }) => ({ name, kind })))) return false
  for (const { key } of beside) {
    columnOf.delete(key)
    delete FOLDING[key]
  }
  columns.splice(columns.length - beside.length)
  const age = usualColumns.indexOf('age') - beside.length
  beside = infos.map(({ name, kind }, place) => {
    const [width, text] = KINDS[kind] ?? KINDS.number
    const value = row => row.beside?.[place] ?? null
    return {
      key: 'beside-' + name, head: name, kind, number: kind !== 'flag', down: true, sort: name, value, text: row => text(value(row)),
      width: `minmax(${Math.max(width, Math.min(name.length, 16) * 8 + 14)}px, .5fr)`, direction: kind === 'percent' ? value : null,
    }
  })
  usualColumns.splice(age, usualColumns.length - age - 1, ...beside.map(column => column.key))
  columns.push(...beside)
  for (const column of beside) {
    columnOf.set(column.key, column)
    FOLDING[column.key] = row => column.value(row) !== null
  }
  return true
}

export const least = column => Number(/\d+/.exec(column.width)[0])

/** Adds to `filled` the columns for which one of the rows has something; tells whether there was a new one. */
export function fillColumns(filled, rows, now) {
  const before = filled.size
  for (const [key, has] of Object.entries(FOLDING)) if (!filled.has(key) && rows.some(row => has(row, now))) filled.add(key)
  return filled.size > before
}

export const folds = key => key in FOLDING
export const compactColumns = ['symbol', 'price', 'percent']

function spread(row) {
  return difference(row.ask, row.bid)
}

/** What is to be said about a price that is not fresh: how old it is, or why. Empty where there is nothing to say. */
export function staleness(row, now) {
  if (row.marks & MARK.halted) return 'halted'
  const old = row.time === null ? 0 : now - row.time
  if (row.marks & MARK.stale) return old >= OLD ? 'last ' + age(old) : 'past'
  return old >= OLD ? age(old) : ''
}
