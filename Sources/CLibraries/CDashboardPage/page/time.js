// Times of the page: one zone for the axis, the clock, trades, orders and alerts. Times are milliseconds since 1970.

const state = { choice: 'exchange', exchange: 'UTC', formats: new Map(), offsets: new Map() }

/** @param {'exchange' | 'local' | 'UTC'} choice */
export function setZone(choice, exchange = state.exchange) {
  state.choice = choice
  state.exchange = exchange
  state.formats.clear()
  state.offsets.clear()
}

/** The zone in force as the browser names it; undefined is the local one. */
function zone() {
  if (state.choice === 'UTC') return 'UTC'
  return state.choice === 'local' ? undefined : state.exchange
}

/** What the clock says beside the time: `New York`, `local` or `UTC`. */
export function zoneName() {
  if (state.choice !== 'exchange') return state.choice
  return state.exchange.split('/').pop().replaceAll('_', ' ')
}

export function exchangeZone() {
  return state.exchange
}

function format(name, options) {
  let made = state.formats.get(name)
  if (!made) state.formats.set(name, made = new Intl.DateTimeFormat('en-GB', { timeZone: zone(), hourCycle: 'h23', ...options }))
  return made
}

/** 14:03:09 */
export function clock(time) {
  return format('clock', { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(time)
}

/** 14:03:09.250 */
export function precise(time) {
  return clock(time) + '.' + String(Math.floor(time) % 1000).padStart(3, '0')
}

/** 14:03 */
export function minute(time) {
  return format('minute', { hour: '2-digit', minute: '2-digit' }).format(time)
}

/** 7 Oct */
export function day(time) {
  return format('day', { day: 'numeric', month: 'short' }).format(time)
}

/** 7 Oct 2013 */
export function date(time) {
  return format('date', { day: 'numeric', month: 'short', year: 'numeric' }).format(time)
}

/** The time if it is of this day, with the date otherwise. */
export function moment(time, now = Date.now()) {
  return date(time) === date(now) ? clock(time) : day(time) + ' ' + minute(time)
}

/** How far the zone is ahead of UTC at that time, in ms. It is found once for each quarter of an hour, the finest step of any zone. */
export function offset(time) {
  const quarter = Math.floor(time / 900000)
  let found = state.offsets.get(quarter)
  if (found === undefined) {
    const parts = {}
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' }
    for (const { type, value } of format('fields', fields).formatToParts(quarter * 900000)) parts[type] = Number(value)
    found = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second) - quarter * 900000
    state.offsets.set(quarter, found)
  }
  return found
}

/** How old: `4 s`, `12 min`, `3 h`, `2 d`. */
export function age(ms) {
  if (ms < 60000) return Math.floor(ms / 1000) + ' s'
  if (ms < 3600000) return Math.floor(ms / 60000) + ' min'
  if (ms < 172800000) return Math.floor(ms / 3600000) + ' h'
  return Math.floor(ms / 86400000) + ' d'
}

/** Nanoseconds: `850 µs`, `1.2 ms`, `3 s`, `12 min`. */
export function lasting(ns) {
  if (ns < 0) return '\u2212' + lasting(-ns)
  const size = Number(ns)
  if (size < 1e6) return Math.floor(size / 1e3) + ' µs'
  if (size < 1e7) return (Math.floor(size / 1e5) / 10).toFixed(1) + ' ms'
  return size < 1e9 ? Math.floor(size / 1e6) + ' ms' : age(size / 1e6)
}
