// The keys that work everywhere.
import { control } from './controls.js'
import { pages } from './router.js'
import { nearby } from './rules.js'

export const showKeys = () => import('./sheet.js').then(({ showKeys }) => showKeys())

export function listenToKeys(app) {
  document.addEventListener('keydown', event => {
    const { key, target } = event
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') {
      event.preventDefault()
      app.search.open()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !['radio', 'checkbox'].includes(target.type)
    if (key === 'Escape') return escape(app, typing)
    if (typing) return
    const does = actions(app, key)
    if (!does) return
    event.preventDefault()
    does()
  })
}

function escape(app, typing) {
  const { view } = app.router
  if (typing) view?.focus?.()
  else if (view?.opened) app.router.back()
}

function actions(app, key) {
  const { view } = app.router
  const { symbol } = view ?? {}
  const row = symbol ? app.model.bySymbol(symbol) : null
  const chart = view?.panel?.chart
  if (/^[1-9]$/.test(key) && pages[key - 1]) return () => app.router.goPage(Number(key))
  const { ticket } = app
  const table = {
    '/': () => app.search.open(),
    '?': showKeys,
    f: view?.field && (() => view.field.focus()),
    s: view?.nextSort && (() => view.nextSort()),
    S: view?.turnSort && (() => view.turnSort()),
    w: symbol && (() => app.lists.toggle(symbol)),
    a: row?.price && (() => addRule(app, row, true)),
    A: row?.price && (() => addRule(app, row, false)),
    b: ticket && (() => ticket.begin('buy')),
    v: ticket && (() => ticket.begin('sell')),
    '+': symbol && (() => control(app, 'raise', symbol)),
    '-': symbol && (() => control(app, 'lower', symbol)),
    r: symbol && (() => control(app, 'randomise', symbol)),
    ',': chart && !chart.small && (() => chart.nextSpan(-1)),
    '.': chart && !chart.small && (() => chart.nextSpan(1)),
    l: chart && !chart.small && (() => chart.turnKind()),
    m: view?.next && (() => view.next()),
    p: () => app.connection.pause(!app.connection.paused),
    t: () => app.nextTheme(),
    z: () => app.nextZone(),
  }
  return table[key] || null
}

async function addRule(app, row, above) {
  try {
    const rule = nearby(row, above)
    await app.alerts.make(rule)
    app.toasts.show({ text: 'Alert: ' + rule.name, link: '/alerts' })
  } catch (error) {
    app.fail(error)
  }
}
