// A list of alert rules, of one symbol or of all, with the form that makes one.
import { part } from './api.js'
import { decimal, units } from './decimal.js'
import { h, RecordTable, setText } from './dom.js'

const CONDITIONS = [
  ['crosses_above', 'gets above', 'price'], ['crosses_below', 'gets below', 'price'],
  ['rises_by', 'rises by', '1% or 2.50'], ['falls_by', 'falls by', '1% or 2.50'],
]
// When a rule fires again, and how far back it looks: names as in YAML, and what is meant without them.
const MORE = [['window', 'Window', '1h'], ['cooldown', 'Cooldown', 'none, or 5m'], ['rearm', 'Rearm', 'at once, or 0.5%']]
let ids = 0

export class RuleList {
  constructor(app, { all = false } = {}) {
    Object.assign(this, { app, all, symbol: null })
    this.table = new RecordTable({ label: 'Alert rules', key: rule => rule.id, empty: 'No alerts.', columns: [
      { head: 'Symbol', cell: (rule, cell) => void (cell.firstChild ?? cell.append(this.#link(rule))) },
      { head: 'Condition', class: 'wide', cell: rule => rule.condition.replaceAll('_', ' ') },
      { head: 'Change', hidden: true, number: true, cell: (rule, cell) => this.#buttons(rule, cell) },
    ], row: (rule, element) => {
      if (rule.muted) element.dataset.muted = 'yes'
      else delete element.dataset.muted
    } })
    this.error = h('p', { class: 'bad', role: 'alert' })
    this.form = this.#makeForm()
    this.note = h('small', { class: 'dim' }, all ? '' : 'a: 1 % above, A: below')
    this.element = h('div', {}, h('h2', { class: 'with-note' }, all ? 'Rules' : 'Alerts', this.note), this.table.element, this.form, this.error)
    this.stop = app.alerts.on(() => this.refresh())
    this.refresh()
  }

  show(symbol) {
    this.symbol = symbol
    setText(this.error, '')
    this.refresh()
  }

  refresh() {
    this.table.show(this.all ? this.app.alerts.rules : this.app.alerts.of(this.symbol))
  }

  #link(rule) {
    return rule.symbol && rule.symbol !== '*' ? h('a', { href: '/symbol/' + part(rule.symbol) }, rule.symbol) : document.createTextNode('all')
  }

  #buttons(rule, cell) {
    const state = `${rule.muted}${rule.own}`
    if (cell.dataset.state === state) return
    cell.dataset.state = state
    const focused = cell.contains(document.activeElement)
    const mute = h('button', { type: 'button', 'aria-label': `${rule.muted ? 'Unmute' : 'Mute'} ${rule.name}`, onclick: () => this.app.alerts.mute(rule) }, rule.muted ? 'unmute' : 'mute')
    const remove = rule.own && h('button', { type: 'button', 'aria-label': `Remove ${rule.name}`, onclick: () => this.app.alerts.remove(rule) }, '×')
    cell.replaceChildren(...[mute, remove].filter(Boolean))
    if (focused) mute.focus()
  }

  #makeForm() {
    const id = ++ids
    const label = (name, text) => h('label', { for: `rule${id}-${name}`, class: 'hidden-text' }, text)
    const symbol = h('input', { class: 'field', id: `rule${id}-symbol`, placeholder: 'symbol', autocomplete: 'off', spellcheck: 'false', size: 8 })
    const condition = h('select', { class: 'field', id: `rule${id}-condition` }, CONDITIONS.map(([value, text]) => h('option', { value }, text)))
    const value = h('input', { class: 'field number', id: `rule${id}-value`, placeholder: 'price', autocomplete: 'off', size: 8 })
    const more = MORE.map(([name, , placeholder]) => h('input', { class: 'field number', id: `rule${id}-${name}`, placeholder, autocomplete: 'off' }))
    const lines = MORE.map(([name, text], index) => h('div', { class: 'ticket-line' }, h('label', { for: `rule${id}-${name}` }, text), more[index]))
    const changed = () => {
      value.placeholder = CONDITIONS[condition.selectedIndex][2]
      lines[0].hidden = !CONDITIONS[condition.selectedIndex][0].endsWith('_by')
    }
    condition.addEventListener('change', changed)
    changed()
    const form = h('form', { class: 'rule-form' + (this.all ? ' with-symbol' : ''), autocomplete: 'off' },
      this.all ? [label('symbol', 'Symbol'), symbol] : null, label('condition', 'Condition'), condition, label('value', 'Value'), value,
      h('button', { class: 'plain' }, 'add'), h('details', {}, h('summary', {}, 'Window, cooldown, rearm'), lines))
    form.addEventListener('submit', async event => {
      event.preventDefault()
      const [key, words] = CONDITIONS[condition.selectedIndex]
      const text = value.value.trim().replaceAll(',', '')
      const of = this.all ? symbol.value.trim() : this.symbol
      setText(this.error, '')
      if (!of) return setText(this.error, 'Which symbol?')
      if (!(units(text.replace(/%$/, '')) > 0)) return setText(this.error, 'A number above 0')
      const rule = { name: `${of} ${words} ${text}`, symbol: of, [key]: text }
      if (key.endsWith('_by')) rule.window = '1h'
      MORE.forEach(([name], index) => {
        const text = more[index].value.trim()
        if (text && !lines[index].hidden) rule[name] = text
      })
      const sent = [value, ...more].map(input => [input, input.value])
      try {
        await this.app.alerts.make(rule)
        // What was typed meanwhile is the next rule.
        for (const [input, text] of sent) if (input.value === text) input.value = ''
      } catch (error) {
        setText(this.error, error.message)
      }
    })
    return form
  }
}

/** A rule one per cent above or below the price, at a price with the symbol's decimals. */
export function nearby(row, above) {
  const price = BigInt(row.price)
  const step = 10n ** BigInt(9 - Math.min(9, row.decimals))
  const far = ((price * (above ? 101n : 99n)) / 100n / step) * step
  const text = decimal(far, row.decimals).replaceAll(',', '')
  const words = above ? 'gets above' : 'gets below'
  return { name: `${row.symbol} ${words} ${text}`, symbol: row.symbol, [above ? 'crosses_above' : 'crosses_below']: text }
}
