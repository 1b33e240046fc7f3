// Paths and views. The address says what is shown, so that back, forward, reload and a shared link work.
// Views that are not seen at first are loaded when they are.
import { h, setAttribute } from './dom.js'
import { ListView } from './list.js'

export const pages = [
  ['/', 'Prices'], ['/watchlists', 'Watchlists'], ['/movers', 'Movers'], ['/crypto', 'Crypto'], ['/portfolio', 'Portfolio'], ['/alerts', 'Alerts'], ['/graph', 'Graph'],
]

export class Router {
  constructor(app, main) {
    Object.assign(this, { app, main, view: null, started: false })
    const nav = document.getElementById('pages')
    this.links = pages.map(([path, name], index) => h('a', { href: path, title: `${name}: ${index + 1}` }, name))
    nav.append(...this.links)
    app.model.on('status', ({ pages }) => pages && this.showPages(pages))
    addEventListener('popstate', () => location.pathname === this.path || this.#show(true)) // not for a fragment
    document.addEventListener('click', event => this.#link(event))
  }

  start({ needsLogin }) {
    this.needsLogin = needsLogin
    const door = /^\/(login|signup)$/.test(location.pathname)
    if (needsLogin && !door) {
      this.after = location.pathname + location.search
      history.replaceState(null, '', '/login')
    } else if (!needsLogin && door) {
      history.replaceState(null, '', this.after ?? '/')
      this.after = null
    }
    this.#show(this.started || needsLogin) // at the door there is one thing to do
    this.started = true
  }

  /** The pages for which the run has something; prices and the run itself are always there. */
  showPages(names) {
    const shown = JSON.stringify(names)
    if (shown === this.pagesShown) return
    this.pagesShown = shown
    this.links.forEach((link, index) => (link.hidden = !['/', '/graph'].includes(pages[index][0]) && !names.includes(pages[index][0].slice(1))))
  }

  /** Whether the way in is asked for, and shown. */
  get atDoor() {
    return this.started && this.needsLogin && this.view?.isDoor === true
  }

  /** Nothing is shown any more; the next start shows it anew. */
  leave() {
    this.view?.stop?.()
    this.view = null
  }

  go(path, { replace = false, focus = true } = {}) {
    if (path === location.pathname + location.search) return
    if (replace) history.replaceState(null, '', path)
    else history.pushState({ inside: true }, '', path)
    this.#show(focus)
  }

  /** Opens the page of a number key, where the run has it. */
  goPage(number) {
    const link = this.links[number - 1]
    if (link && !link.hidden) this.go(pages[number - 1][0])
  }

  /** Back where somebody came from inside the page; to the prices from a deep link. */
  back() {
    if (history.state?.inside) history.back()
    else this.go('/')
  }

  #link(event) {
    const link = event.target.closest?.('a[href]')
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target || link.download) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || url.pathname.startsWith('/api/') || link.getAttribute('href').startsWith('#')) return
    event.preventDefault()
    this.go(url.pathname + url.search)
  }

  #show(focus) {
    if (this.needsLogin && !/^\/(login|signup)$/.test(location.pathname)) history.replaceState(null, '', '/login')
    const route = parse((this.path = location.pathname))
    this.route = route
    if (route.name === 'symbol' && this.view?.open) this.view.open(route.symbol)
    else if (this.view?.list && this.view.list === route.list && this.view.opened) this.view.open(null)
    else {
      this.#replace(route, focus)
      return
    }
    this.#shown(route, focus)
  }

  #shown(route, focus) {
    const { app } = this
    this.links.forEach((link, index) => {
      const path = pages[index][0]
      const here = path === '/' ? ['/', '/symbol'].includes(route.base) : route.base === path
      setAttribute(link, 'aria-current', here ? 'page' : null)
      if (here) link.scrollIntoView({ block: 'nearest', inline: 'nearest' }) // on a phone not all have room
    })
    document.title = (this.view.title ? this.view.title + ' – ' : '') + 'stockbus'
    if (focus) (this.view.focus ? this.view.focus() : this.main.focus({ preventScroll: true }))
    app.status.show()
  }

  async #replace(route, focus) {
    const { app } = this
    let view = make(app, route)
    if (view instanceof Promise) {
      try {
        view = await view
      } catch {
        app.fail(new Error('stockbus cannot be reached'))
        return
      }
      if (route !== this.route) return // somebody has gone on meanwhile
    }
    this.view?.stop?.()
    this.view = view
    this.main.replaceChildren(view.element)
    view.start?.()
    if (route.name === 'symbol') view.open(route.symbol)
    this.#shown(route, focus)
  }
}

function parse(path) {
  const [, first = '', second = ''] = path.split('/')
  const word = decode(path.slice(first.length + 2))
  const base = '/' + first
  if (first === '') return { base, name: 'list', list: 'all' }
  if (first === 'symbol' && word) return { base, name: 'symbol', symbol: word, list: 'all' }
  if (first === 'crypto') return { base, name: 'list', list: 'crypto' }
  if (first === 'watchlists') return { base, name: 'list', list: 'watchlist:' + word, watchlist: word }
  return { base, name: first, second }
}

function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The view of a route, or a promise of it. */
function make(app, route) {
  switch (route.name) {
    case 'list':
      if (route.watchlist === undefined) return new ListView(app, route)
      return import('./watchlists.js').then(({ WatchlistBar }) => new ListView(app, route, WatchlistBar))
    case 'symbol': return new ListView(app, route)
    case 'movers': return import('./movers.js').then(({ MoversView }) => new MoversView(app))
    case 'portfolio': return import('./portfolio.js').then(({ PortfolioView }) => new PortfolioView(app))
    case 'alerts': return import('./alertsview.js').then(({ AlertsView }) => new AlertsView(app))
    case 'graph': return import('./graph.js').then(({ GraphView }) => new GraphView(app))
    case 'settings': return import('./settings.js').then(({ SettingsView }) => new SettingsView(app))
    case 'account': return import('./account.js').then(({ AccountView }) => new AccountView(app))
    case 'login': return import('./account.js').then(({ DoorView }) => new DoorView(app, false))
    case 'signup': return import('./account.js').then(({ DoorView }) => new DoorView(app, true))
    default: {
      const text = h('p', { class: 'none' }, 'There is no such page. ', h('a', { href: '/', class: 'link' }, 'All prices'))
      return { element: text, title: 'Not found' }
    }
  }
}
