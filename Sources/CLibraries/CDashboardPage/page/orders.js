// The orders that this page has sent, until they are filled: what became of each is said in words.
import { decimal, recorded, units } from './decimal.js'

const MOST = 100

export class SentOrders {
  constructor(app) {
    Object.assign(this, { app, numbers: [] })
    app.model.on('fills', fills => this.#announce(fills))
  }

  /** An order was accepted. Its fill may have come before the answer. */
  add(number, text) {
    const fills = this.app.model.fills.filter(fill => fill.order === number)
    if (fills.length === 0) this.#tell(text)
    if (number !== undefined) this.numbers = [...this.numbers.slice(-MOST), number]
    this.#announce(fills)
  }

  #announce(fills) {
    for (const { order, side, quantity, symbol, price } of fills) {
      if (this.numbers.includes(order)) this.#tell(`${side === 'buy' ? 'Bought' : 'Sold'} ${decimal(units(quantity))} ${symbol} at ${recorded(price)}`)
    }
  }

  #tell(text) {
    this.app.toasts.show({ text, link: '/portfolio' })
    this.app.say(text)
  }
}
