// The star that puts a symbol on a watchlist or takes it off.
import { h, setAttribute, setText } from './dom.js'

export class Star {
  constructor(app) {
    this.app = app
    this.element = h('button', { type: 'button', class: 'star', title: 'w', onclick: () => app.lists.toggle(this.symbol) })
    this.stop = app.lists.on(() => this.show(this.symbol))
  }

  show(symbol) {
    this.symbol = symbol
    const on = this.app.lists.has(symbol)
    setText(this.element, on ? '★' : '☆')
    setAttribute(this.element, 'aria-label', on ? `Remove ${symbol} from the watchlist` : `Add ${symbol} to the watchlist`)
  }
}
