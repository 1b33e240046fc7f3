// The user's watchlists, as the server keeps them. A change is shown at once and taken back if the server refuses it.
import { get, part, put, remove } from './api.js'

export class Lists {
  constructor(app) {
    Object.assign(this, { app, all: [], loaded: false, listeners: new Set(), symbols: new Set() })
    app.model.on('watchlists', lists => this.#take(lists))
  }

  load() {
    return (this.arrival = this.#load())
  }

  async #load() {
    try {
      this.#take(await get('/watchlists'))
    } catch (error) {
      if (error.status !== 404) this.app.fail(error)
    }
  }

  forget() {
    this.#take([])
    this.loaded = false
  }

  on(listener) {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  has(symbol) {
    return this.symbols.has(symbol)
  }

  get(name) {
    return this.all.find(list => list.name === name) ?? null
  }

  /** The list that `w` adds to: the one that is open or was open last, else the first. */
  get current() {
    return this.get(this.app.settings.watchlist) ?? this.all[0] ?? null
  }

  async toggle(symbol) {
    await this.arrival // else it would be put on a new list
    const holding = this.current?.symbols.includes(symbol) ? this.current : this.all.find(list => list.symbols.includes(symbol))
    const list = holding ?? this.current ?? { name: 'watchlist', symbols: [] }
    const symbols = holding ? list.symbols.filter(each => each !== symbol) : [...list.symbols, symbol]
    await this.save(list.name, symbols)
    this.app.say(`${symbol} was ${holding ? 'removed from' : 'added to'} ${list.name}`)
  }

  async save(name, symbols) {
    const before = this.all
    this.#take(this.get(name) ? this.all.map(list => (list.name === name ? { ...list, symbols } : list)) : [...this.all, { name, symbols }])
    try {
      await put('/watchlists/' + part(name), { symbols })
    } catch (error) {
      this.#take(before)
      this.app.fail(error)
    }
  }

  async remove(name) {
    const before = this.all
    this.#take(this.all.filter(list => list.name !== name))
    try {
      await remove('/watchlists/' + part(name))
    } catch (error) {
      this.#take(before)
      this.app.fail(error)
    }
  }

  #take(lists) {
    this.all = lists
    this.loaded = true
    this.symbols = new Set(lists.flatMap(list => list.symbols))
    for (const listener of this.listeners) listener()
  }
}
