// Exact decimals. A number of the wire is a count of billionths. In the page it is a JavaScript number as long as that is exact
// (up to 2^53, which is 9,007,199.25), a BigInt beyond, and null if it is not known.
/** @typedef {number | bigint | null} Units */

const ONE = 1e9
const ONE_BIG = 1_000_000_000n
const AMOUNT = 1_000_000_000_000_000_000n // amounts of money are counted in 1e-18
const STEPS = [1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 10, 1] // billionths in the last of so many decimals
const MINUS = '\u2212'
const DASH = '–'

/** A whole number of 10^-decimals in billionths; a number as long as that is exact. */
export function scaled(mantissa, decimals) {
  if (typeof mantissa === 'number') {
    const value = mantissa * STEPS[decimals]
    if (value <= 9007199254740991 && value >= -9007199254740991) return value
  }
  return BigInt(mantissa) * BigInt(STEPS[decimals])
}

/** The difference of two numbers, exact. @returns {Units} */
export function difference(a, b) {
  if (a === null || b === null) return null
  if (typeof a === 'number' && typeof b === 'number') {
    const value = a - b
    if (value <= 9007199254740991 && value >= -9007199254740991) return value
  }
  return narrowed(BigInt(a) - BigInt(b))
}

function narrowed(value) {
  return value <= 9007199254740991n && value >= -9007199254740991n ? Number(value) : value
}

/** From one price to another in billionths of a per cent, rounded half away from zero to hundredths of a per cent. */
export function change(from, to) {
  if (from === null || to === null || from === undefined || to === undefined || Number(from) <= 0) return null
  const hundredths = ((Number(to) - Number(from)) / Number(from)) * 10000
  const size = Math.abs(hundredths)
  // So near to a half only whole numbers tell on which side it is.
  if (Math.abs(size - Math.floor(size) - 0.5) < 1e-6) {
    const far = BigInt(to) - BigInt(from)
    const twice = (far < 0n ? -far : far) * 20000n
    const half = (twice / BigInt(from) + 1n) / 2n
    return Number(far < 0n ? -half : half) * 1e7
  }
  return Math.sign(hundredths) * Math.round(size) * 1e7
}

function grouped(digits) {
  let end = digits.length
  if (end <= 3) return digits
  let text = ''
  for (; end > 3; end -= 3) text = ',' + digits.slice(end - 3, end) + text
  return digits.slice(0, end) + text
}

/** The decimal text, with at least so many decimals, and more where the number has more: nothing is ever rounded away. */
export function decimal(units, decimals = 0) {
  if (units === null || units === undefined) return DASH
  const negative = units < 0
  let whole
  let part
  if (typeof units === 'number') {
    const size = negative ? -units : units
    const integer = Math.floor(size / ONE)
    part = size - integer * ONE
    if (part < 0 || part >= ONE) return decimal(BigInt(units), decimals) // the quotient was rounded up to the next integer
    whole = String(integer)
  } else {
    const size = negative ? -units : units
    whole = String(size / ONE_BIG)
    part = Number(size % ONE_BIG)
  }
  let shown = decimals > 9 ? 9 : decimals
  while (shown < 9 && part % STEPS[shown] !== 0) shown++
  const text = shown === 0 ? '' : '.' + String(part / STEPS[shown]).padStart(shown, '0')
  return (negative ? MINUS : '') + grouped(whole) + text
}

/** The same with a plus sign above zero. */
export function signed(units, decimals) {
  return units > 0 ? '+' + decimal(units, decimals) : decimal(units, decimals)
}

/** Per cent with two decimals, rounded half away from zero. The units are billionths of a per cent. */
export function percent(units) {
  if (units === null || units === undefined) return DASH
  const size = Math.round(Math.abs(Number(units)) / 1e7)
  const whole = Math.floor(size / 100)
  const sign = size === 0 ? '' : units < 0 ? MINUS : '+'
  return sign + grouped(String(whole)) + '.' + String(size % 100).padStart(2, '0') + '%'
}

/** A size in a few characters: 950, 12.4k, 97.6M, 1.25B. What is below ten thousand is exact. */
export function short(units) {
  if (units === null || units === undefined) return DASH
  const value = Number(units) / ONE
  if (Math.abs(value) < 1e4) return decimal(units)
  if (Math.abs(value) < 1e6) return (value / 1e3).toFixed(1) + 'k'
  if (Math.abs(value) < 1e9) return (value / 1e6).toFixed(1) + 'M'
  if (Math.abs(value) < 1e12) return (value / 1e9).toFixed(2) + 'B'
  return (value / 1e12).toFixed(2) + 'T'
}

/** A computed number with the digits that it has, rounded to seven; none before the point, and not all, are lost. */
export function figure(units) {
  if (units === null) return DASH
  if (typeof units === 'bigint') return decimal(((units + (units < 0n ? -ONE_BIG : ONE_BIG) / 2n) / ONE_BIG) * ONE_BIG)
  const size = Math.abs(units)
  const step = STEPS[Math.max(0, 7 - String(Math.floor(size / ONE)).length)]
  return decimal(Math.sign(units) * Math.round(size / step) * step || units)
}

/** Reads a decimal text into a BigInt of units of 10^-places; null if it is not a number or has more decimals. */
function parse(text, places) {
  const match = /^([-+\u2212]?)(\d*)(?:\.(\d*))?$/.exec(String(text).trim().replaceAll(',', ''))
  if (!match || match[2].length + (match[3] ?? '').length === 0) return null
  const fraction = match[3] ?? ''
  if (fraction.length > places && /[1-9]/.test(fraction.slice(places))) return null
  const size = BigInt(match[2] + fraction.slice(0, places).padEnd(places, '0'))
  return match[1] === '-' || match[1] === MINUS ? -size : size
}

/** Reads a price or a size. @returns {Units} */
export function units(text) {
  if (text === null || text === undefined) return null
  const value = parse(text, 9)
  if (value === null) return null
  return narrowed(value)
}

/** Reads an amount of money. @returns {bigint | null} */
export function amount(text) {
  return text === null || text === undefined ? null : parse(text, 18)
}

/** The price of a record: with the decimals that it came with, at least two, as it may have lost those that are zero. */
export function recorded(text) {
  return decimal(units(text), Math.max(2, decimalsOf(text)))
}

/** How many decimals a text has. */
export function decimalsOf(text) {
  const dot = String(text).indexOf('.')
  return dot < 0 ? 0 : String(text).length - dot - 1
}

/** Price times quantity as an amount, exact. */
export function product(price, quantity) {
  return price === null || quantity === null ? null : BigInt(price) * BigInt(quantity)
}

/** An amount to the cent, rounded half to even; amounts below a cent, as of small coins, with all their digits. */
export function money(value) {
  if (value === null || value === undefined) return DASH
  const negative = value < 0n
  const size = negative ? -value : value
  const sign = negative ? MINUS : ''
  if (size !== 0n && size < AMOUNT / 100n) return sign + exactAmount(size)
  const cent = AMOUNT / 100n
  let cents = size / cent
  const rest = size % cent
  if (rest * 2n > cent || (rest * 2n === cent && cents % 2n === 1n)) cents += 1n
  return sign + grouped(String(cents / 100n)) + '.' + String(cents % 100n).padStart(2, '0')
}

/** An amount with all its digits, at least two decimals. */
export function exactAmount(value) {
  const negative = value < 0n
  const size = negative ? -value : value
  const fraction = String(size % AMOUNT).padStart(18, '0').replace(/0+$/, '').padEnd(2, '0')
  return (negative ? MINUS : '') + grouped(String(size / AMOUNT)) + '.' + fraction
}

export function signedMoney(value) {
  return value > 0n ? '+' + money(value) : money(value)
}

/** An amount of another in per cent, in billionths of a per cent, rounded towards zero. */
export function share(part, whole) {
  if (part === null || whole === null || whole === 0n) return null
  const size = whole < 0n ? -whole : whole
  return Number((part * 100n * ONE_BIG) / size)
}
