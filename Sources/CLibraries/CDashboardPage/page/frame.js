// The binary frame of Documentation/maintain/formats.md, decoded straight into what the page knows.
import { scaled } from './decimal.js'

const PRICES = 1
const TEXT_FOLLOWS = 1
const HAS_COLUMNS = 2
const ORDER_FOLLOWS = 1
const FIELD = { price: 1, reference: 2, volume: 4, quote: 8, range: 16, rank: 32, shape: 64, name: 128 }
const MOST_DECIMALS = 9
const MOST_COLUMNS = 64
const LONGEST = 10 // bytes of a varint
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads numbers from bytes; a RangeError where there are none left, or where they are none of this form. */
class Reader {
  constructor(buffer) {
    this.bytes = new Uint8Array(buffer)
    this.at = 0
  }

  byte() {
    if (this.at >= this.bytes.length) throw new RangeError('the frame is cut off')
    return this.bytes[this.at++]
  }

  /** An unsigned number: a JavaScript number up to 2^53, beyond a BigInt. */
  varint() {
    let value = 0
    let factor = 1
    for (let index = 0; index < 7; index++) { // 49 bits are exact in any case
      const byte = this.byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
      factor *= 128
    }
    let large = BigInt(value)
    for (let index = 7; index < LONGEST; index++) {
      const byte = this.byte()
      large += BigInt(byte & 127) << BigInt(7 * index)
      if (byte < 128) {
        if (large >= 1n << 64n) throw new RangeError('a number of more than 64 bits')
        return large <= 9007199254740991n ? Number(large) : large
      }
    }
    throw new RangeError('a number of more than ten bytes')
  }

  svarint() {
    return zigzag(this.varint())
  }

  /** A signed number, or null for none. */
  optional() {
    const value = this.varint()
    return value === 0 ? null : zigzag(typeof value === 'number' ? value - 1 : value - 1n)
  }

  /** A number that counts or numbers something. */
  count() {
    const value = this.varint()
    if (typeof value !== 'number' || value > 0xffffffff) throw new RangeError('a count that cannot be')
    return value
  }
  text() {
    const length = this.count()
    if (length > this.bytes.length - this.at) throw new RangeError('the frame is cut off')
    const text = utf8.decode(this.bytes.subarray(this.at, this.at + length))
    this.at += length
    return text
  }
}

function zigzag(value) {
  if (typeof value === 'number') return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  const half = value >> 1n
  const signed = value & 1n ? -half - 1n : half
  return signed <= 9007199254740991n && signed >= -9007199254740991n ? Number(signed) : signed
}

/**
 * Reads one frame. `into` gives a row by `row(number)`, and gets `filled(row, price, updates, entered)` behind each one with the price and
 * the number of updates before, and `pane({ pane, total, from, order })` behind each pane. A frame that is broken throws a RangeError or a
 * TypeError (no UTF-8), and nothing after it is to be believed.
 * @param {ArrayBuffer} buffer
 * @returns {{ frame: number, time: number, textFollows: boolean }} the time in ms since 1970
 */
export function decodeFrame(buffer, into) {
  const reader = new Reader(buffer)
  const kind = reader.byte()
  if (kind !== PRICES) throw new RangeError(`a frame of kind ${kind}`)
  const flags = reader.byte()
  const textFollows = (flags & TEXT_FOLLOWS) !== 0
  const frame = reader.count()
  const time = Number(reader.varint())
  const panes = reader.count()
  for (let index = 0; index < panes; index++) decodePane(reader, time, (flags & HAS_COLUMNS) !== 0, into)
  if (reader.at !== reader.bytes.length) throw new RangeError(`${reader.bytes.length - reader.at} bytes behind the frame`)
  return { frame, time, textFollows }
}

function decodePane(reader, time, hasColumns, into) {
  const pane = reader.byte()
  const hasOrder = (reader.byte() & ORDER_FOLLOWS) !== 0
  const total = reader.count()
  const from = reader.count()
  let order = null
  if (hasOrder) {
    order = []
    let last = 0
    for (let left = reader.count(); left > 0; left--) order.push(last = numberOfRow(last, reader.svarint()))
  }
  let last = 0
  for (let left = reader.count(); left > 0; left--) {
    last = numberOfRow(last, reader.svarint())
    decodeRow(reader, last, time, hasColumns, into)
  }
  into.pane({ pane, total, from, order })
}

function numberOfRow(last, difference) {
  const number = last + Number(difference)
  if (number < 0 || number > 0x7fffffff) throw new RangeError('a row number that cannot be')
  return number
}

function decodeRow(reader, number, time, hasColumns, into) {
  const row = into.row(number)
  const { price, updates } = row
  const fields = reader.byte()
  row.updates = Number(reader.varint())
  row.time = time - Number(reader.svarint())
  if (fields & FIELD.shape) {
    row.decimals = reader.byte()
    row.sizeDecimals = reader.byte()
    row.marks = reader.byte()
    if (row.decimals > MOST_DECIMALS || row.sizeDecimals > MOST_DECIMALS) throw new RangeError('more than nine decimals')
  }
  if (fields & FIELD.name) {
    const name = reader.text()
    const tab = name.indexOf('\t')
    row.symbol = tab < 0 ? name : name.slice(0, tab)
    row.name = tab < 0 ? '' : name.slice(tab + 1)
  }
  const { decimals } = row
  if (fields & FIELD.price) row.price = scaled(reader.svarint(), decimals)
  if (fields & FIELD.reference) row.reference = scaled(reader.svarint(), decimals)
  if (fields & FIELD.volume) row.volume = scaled(reader.svarint(), row.sizeDecimals)
  if (fields & FIELD.quote) {
    row.bid = known(scaled(reader.svarint(), decimals))
    row.ask = known(scaled(reader.svarint(), decimals))
  }
  if (fields & FIELD.range) {
    row.low = scaled(reader.svarint(), decimals)
    row.high = scaled(reader.svarint(), decimals)
  }
  if (fields & FIELD.rank) row.rank = reader.count()
  if (hasColumns) {
    const count = reader.count()
    if (count > MOST_COLUMNS) throw new RangeError('too many columns')
    if (count > 0) row.beside = Array.from({ length: count }, () => reader.optional())
  }
  into.filled(row, price, updates, (fields & FIELD.name) !== 0)
}

function known(value) {
  return value === 0 ? null : value
}
