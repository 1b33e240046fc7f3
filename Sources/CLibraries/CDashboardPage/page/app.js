// The page: session, settings, socket, routes, and the second hand. Views do the rest.
import { get, part, put } from './api.js'
import { Alerts } from './alerts.js'
import { setBeside } from './columns.js'
import { Connection } from './connection.js'
import { units } from './decimal.js'
import { setText } from './dom.js'
import { listenToKeys, showKeys } from './keys.js'
import { Lists } from './lists.js'
import { Model } from './model.js'
import { Router } from './router.js'
import { Speaker } from './say.js'
import { Status } from './status.js'
import { setZone } from './time.js'
import { Toasts } from './toasts.js'

const STORE = 'stockbus'
const THEMES = ['system', 'light', 'dark']
const DEFAULTS = { theme: 'system', zone: 'exchange', motion: 'system', columns: null }
const TRENDS = 50 // symbols that are asked for at once
const ZONES = ['exchange', 'local', 'UTC']

class App {
  constructor() {
    this.model = new Model()
    this.settings = { ...DEFAULTS, ...this.#stored(localStorage) }
    this.unsaved = new Set(Object.keys(this.#stored(sessionStorage))) // what the server has not taken yet
    this.session = { user: null, accounts: false, zone: 'UTC', can: [] }
    this.reads = 0 // of the session: an answer that was overtaken says nothing
    this.speaker = new Speaker(document.getElementById('say'))
    this.toasts = new Toasts(document.getElementById('toasts'))
    this.lists = new Lists(this)
    this.alerts = new Alerts(this)
    this.status = new Status(this)
    this.search = { open: async () => (await this.#search()).open(), choose: async () => (await this.#search()).choose() }
    this.connection = new Connection(this.model, {
      paint: time => this.#paint(time),
      status: () => this.status.show(),
      columns: list => setBeside(list) && this.router.view?.columnsChanged?.(),
      connected: () => this.ticket?.renew(),
      error: message => this.#viewError(message),
      refused: () => this.checkSession(),
      isBehind: () => this.router.view?.isBehind === true,
    })
    this.router = new Router(this, document.getElementById('main'))
  }

  async start() {
    this.applyLook()
    listenToKeys(this)
    document.getElementById('search').addEventListener('click', () => this.search.open())
    document.getElementById('theme').addEventListener('click', () => this.nextTheme())
    document.getElementById('help').addEventListener('click', () => showKeys())
    document.getElementById('clock').addEventListener('click', () => this.nextZone())
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.colours())
    addEventListener('resize', () => this.router.view?.resized?.())
    this.model.on('untrended', symbols => this.#readTrends(symbols))
    this.model.on('trades', list => this.router.view?.trades?.(list))
    this.model.on('bars', list => this.router.view?.bars?.(list))
    for (const name of ['accounts', 'positions', 'orders', 'fills', 'movers', 'run']) {
      this.model.on(name, value => this.router.view?.changed?.(name, value))
    }
    this.model.on('settings', settings => this.#adopt(settings))
    await this.readSession()
    setInterval(() => this.#second(), 1000)
    performance.mark('stockbus-shown')
    this.#search() // so that its first letter finds it there
  }

  /** An order was accepted. */
  noteOrder(number, text) {
    this.orders ??= import('./orders.js').then(({ SentOrders }) => new SentOrders(this))
    this.orders.then(orders => orders.add(number, text))
  }

  #search() {
    return (this.searching ??= import('./search.js').then(({ SearchDialog }) => new SearchDialog(this)))
  }

  /** Who is here, and what the program can; without an answer the page waits and asks again. The newest question counts. */
  async readSession() {
    const read = ++this.reads
    let session
    try {
      session = await get('/session')
    } catch (error) {
      if (read !== this.reads) return
      setText(document.getElementById('main'), error.message)
      this.router.leave()
      setTimeout(() => read === this.reads && this.readSession(), 2000)
      return
    }
    if (read === this.reads) this.#enter(session)
  }

  #enter(session) {
    const atDoor = this.router.atDoor
    this.session = session
    setZone(this.settings.zone, session.zone || 'UTC')
    if (session.pages) this.router.showPages(session.pages)
    this.status.showSession()
    if (this.isOutside) {
      this.connection.close()
      if (atDoor) return // what somebody types there stays
      this.#forget()
      this.router.start({ needsLogin: true })
      return
    }
    this.router.start({ needsLogin: false })
    this.connection.open()
    this.lists.load()
    this.alerts.load()
    get('/settings').then(settings => this.#adopt(settings), () => {})
  }

  /** Whether somebody has to log in first. */
  get isOutside() {
    return this.session.accounts && !this.session.user
  }

  /** After a refusal: the session may have ended. */
  async checkSession() {
    const { reads } = this
    const session = await get('/session').catch(() => null)
    if (reads === this.reads && session?.accounts && !session.user) this.#enter(session)
  }

  /** Nothing of a user stays in the page for the next one. */
  #forget() {
    this.model.reset(null)
    this.lists.forget()
    this.alerts.forget()
    this.settings = { ...DEFAULTS, theme: this.settings.theme }
    this.#store()
  }

  can(what) {
    return (this.session.can ?? []).includes(what)
  }

  /** Whether the run has something for a page, such as `alerts`. */
  has(page) {
    return this.session.pages?.includes(page) ?? true
  }

  /** The time of the server, by its last frame. */
  get now() {
    return Date.now() + (this.model.ahead ?? 0)
  }

  go(path, options) {
    this.router.go(path, options)
  }

  say(text) {
    this.speaker.say(text)
  }

  /** Says and shows what went wrong. */
  fail(error) {
    this.toasts.show({ text: error.message, bad: true })
    this.say(error.message)
  }

  get ticket() {
    const { view } = this.router
    return view?.ticket ?? view?.panel?.ticket
  }

  // Panes of the socket.

  look(index, view, from = 0, count = 0) {
    const pane = this.model.panes[index]
    if (view === null) pane.end()
    else if (JSON.stringify(view) !== JSON.stringify(pane.view)) pane.begin(view)
    Object.assign(pane, { from, count })
    this.connection.want('pane' + index, view === null ? { op: 'pane', pane: index, view: null } : { op: 'pane', pane: index, view, from, count })
  }

  lookAtSymbols(index, symbols) {
    const list = [...new Set(symbols)].slice(0, 1000)
    if (list.length === 0) this.look(index, null)
    else this.look(index, { symbols: list }, 0, list.length)
  }

  chooseSymbol(symbol) {
    if (this.model.symbol === symbol) return
    this.model.chooseSymbol(symbol)
    this.connection.want('symbol', { op: 'symbol', symbol })
  }

  async #readTrends(symbols) {
    for (let from = 0; from < symbols.length; from += TRENDS) {
      const names = symbols.slice(from, from + TRENDS).filter(symbol => !symbol.includes(',')).map(part)
      const trends = await get('/trends?symbols=' + names.join()).catch(() => ({})) // without them they begin now
      for (const [symbol, prices] of Object.entries(trends)) this.model.beginTrend(symbol, prices.map(units))
    }
    this.router.view?.second?.(this.model.marketNow)
  }

  #viewError(message) {
    if (!this.router.view?.viewError?.(message)) this.fail(message)
  }

  #paint(time) {
    this.router.view?.frame?.(time)
    this.status.frame()
  }

  #second() {
    if (document.hidden) return
    this.status.second()
    this.router.view?.second?.(this.model.marketNow)
  }

  // Settings: kept in the browser for the first paint, and with the user for other browsers.

  keep(change) {
    Object.assign(this.settings, change)
    for (const key in change) this.unsaved.add(key)
    this.#store()
    this.#save()
  }

  #save() {
    clearTimeout(this.saving)
    this.saving = setTimeout(() => {
      const sent = { ...this.settings }
      put('/settings', sent).then(() => {
        for (const key of this.unsaved) if (sent[key] === this.settings[key]) this.unsaved.delete(key)
        this.#store()
      }, () => {})
    }, 500)
  }

  /** What was changed here since, also before a reload, is newer than what the server has. */
  #adopt(settings) {
    for (const key in settings) if (!this.unsaved.has(key)) this.settings[key] = settings[key]
    this.#store()
    if (this.unsaved.size > 0) this.#save()
    this.applyLook()
    this.router.view?.settingsChanged?.()
  }

  #stored(storage) {
    try {
      return JSON.parse(storage.getItem(STORE) ?? '{}')
    } catch {
      return {}
    }
  }

  #store() {
    try {
      localStorage.setItem(STORE, JSON.stringify(this.settings))
      sessionStorage.setItem(STORE, JSON.stringify(Object.fromEntries([...this.unsaved].map(key => [key, 1]))))
    } catch {
      // Without storage they last as long as the page.
    }
  }

  applyLook() {
    const { dataset } = document.documentElement
    if (this.settings.theme === 'system') delete dataset.theme
    else dataset.theme = this.settings.theme
    if (this.settings.motion === 'less') dataset.motion = 'less'
    else delete dataset.motion
    setZone(this.settings.zone, this.session.zone || 'UTC')
    setText(document.getElementById('theme'), 'theme: ' + this.settings.theme)
    this.status.clock()
    this.colours()
  }

  colours() {
    this.router?.view?.colours?.()
  }

  nextTheme() {
    this.keep({ theme: THEMES[(THEMES.indexOf(this.settings.theme) + 1) % THEMES.length] })
    this.applyLook()
    this.router.view?.settingsChanged?.()
    this.say('Theme: ' + this.settings.theme)
  }

  nextZone() {
    this.keep({ zone: ZONES[(ZONES.indexOf(this.settings.zone) + 1) % ZONES.length] })
    this.applyLook()
    this.router.view?.settingsChanged?.()
    this.say('Times: ' + this.settings.zone)
  }
}

const app = new App()
window.stockbus = app // for the browser's console and for tests
app.start()
