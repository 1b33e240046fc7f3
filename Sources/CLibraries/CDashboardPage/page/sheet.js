// The sheet that lists the keys.
import { h } from './dom.js'
import { pages } from './router.js'

const sheet = [
  ['/ or Ctrl-K', 'search a symbol, a name, an industry'], ['f', 'filter the list: a name, or price > 100 and change < 0'],
  [`1 … ${pages.length}`, 'pages'], ['↑ ↓ PgUp PgDn Home End', 'choose a row'], ['Enter, Esc', 'open the symbol, go back'],
  ['s, S', 'sort by the next column, reverse the order'], ['w', 'add to a watchlist, or remove'], ['Alt ↑ ↓', 'move a symbol of a watchlist'],
  ['b, v', 'buy, sell'], ['a, A', 'an alert 1 % above, below'], ['+, -, r', 'raise, lower, randomise a price of the generator'],
  ['← →, ↑ ↓', 'on a chart: bars, zoom'], [', and .', 'shorter, longer span'], ['l', 'candles or line'], ['m', 'next period of movers'],
  ['p', 'pause this page'], ['t, z', 'theme, time zone'], ['?', 'this list'],
]

export function showKeys() {
  if (document.querySelector('dialog[open]')) return
  const dialog = h('dialog', { 'aria-labelledby': 'keys-title' }, h('h2', { id: 'keys-title' }, 'Keys'),
    h('dl', { class: 'keys' }, sheet.map(([keys, text]) => [h('dt', {}, keys), h('dd', {}, text)])),
    h('form', { method: 'dialog' }, h('button', { class: 'plain' }, 'Close')))
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
