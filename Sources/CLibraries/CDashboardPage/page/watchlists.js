// The line over a watchlist: which list, a new one, its name, adding and moving symbols.
import { part } from './api.js'
import { h } from './dom.js'
import { ask } from './dialogs.js'

export class WatchlistBar {
  constructor(app, name, changed) {
    Object.assign(this, { app, wanted: name, changed })
    this.tabs = h('div', { class: 'segments', role: 'group', 'aria-label': 'Watchlists' })
    this.add = h('button', { type: 'button', onclick: () => this.#addSymbol() }, 'Add symbol')
    this.make = h('button', { type: 'button', onclick: () => this.#make() }, 'New list')
    this.drop_ = h('button', { type: 'button', onclick: () => this.#remove() }, 'Remove list')
    this.element = h('div', { class: 'lists' }, this.tabs, this.add, this.make, this.drop_)
  }

  get list() {
    return this.app.lists.get(this.wanted) ?? (this.wanted ? null : this.app.lists.current)
  }

  get name() {
    return this.list?.name ?? this.wanted
  }

  get symbols() {
    return this.list?.symbols ?? []
  }

  get emptyText() {
    if (!this.app.lists.loaded) return 'Loading'
    if (this.list) return 'This list is empty. Add a symbol, or press w on one.'
    return this.wanted ? `There is no list “${this.wanted}”.` : 'There is no list yet. Press w on a symbol, or make one.'
  }

  listsChanged() {
    const { lists } = this.app
    if (this.list && this.app.settings.watchlist !== this.list.name) this.app.keep({ watchlist: this.list.name })
    this.tabs.replaceChildren(...lists.all.map(list => h('button', {
      type: 'button', 'aria-pressed': String(list.name === this.name), onclick: () => this.app.go('/watchlists/' + part(list.name)),
    }, list.name)))
    this.drop_.hidden = this.add.hidden = !this.list
    this.changed()
  }

  /** Moves a symbol by so many places. */
  move(symbol, by) {
    const symbols = [...this.symbols]
    const from = symbols.indexOf(symbol)
    const to = from + by
    if (from < 0 || to < 0 || to >= symbols.length) return
    symbols.splice(from, 1)
    symbols.splice(to, 0, symbol)
    this.#save(symbols)
    this.app.say(`${symbol} is now number ${to + 1}`)
  }

  /** Puts a symbol before another one; at the end without one. */
  drop(symbol, before) {
    const symbols = this.symbols.filter(each => each !== symbol)
    const to = before === null ? symbols.length : symbols.indexOf(before) + (this.symbols.indexOf(symbol) < this.symbols.indexOf(before) ? 1 : 0)
    symbols.splice(to, 0, symbol)
    this.#save(symbols)
  }

  #save(symbols) {
    if (this.list) this.app.lists.save(this.list.name, symbols)
  }

  async #addSymbol() {
    const symbol = await this.app.search.choose()
    if (symbol && !this.symbols.includes(symbol)) this.#save([...this.symbols, symbol])
  }

  async #make() {
    const name = await ask({ title: 'New watchlist', label: 'Name', action: 'Make it', most: 64 })
    if (!name) return
    if (!this.app.lists.get(name)) await this.app.lists.save(name, [])
    this.app.go('/watchlists/' + part(name))
  }

  async #remove() {
    const { name } = this
    const yes = await ask({ title: `Remove the list “${name}”?`, text: `It has ${this.symbols.length} symbols.`, action: 'Remove it' })
    if (!yes) return
    await this.app.lists.remove(name)
    this.app.go('/watchlists')
  }
}
