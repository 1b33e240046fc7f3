// The order ticket. What an order would cost is asked of the server and shown before the button; the button sends just that order.
import { post } from './api.js'
import { amount, decimal, money, units } from './decimal.js'
import { h, setText } from './dom.js'

const WAIT = 200 // ms after the last key
const RENEW = 3000 // ms between two previews of the same order
const KINDS = [['market', 'market'], ['limit', 'limit'], ['stop', 'stop'], ['stop_limit', 'stop limit'], ['trailing_stop', 'trailing stop']]
const TIMES = [['day', 'day'], ['gtc', 'until cancelled'], ['ioc', 'immediate or cancel']]
let ids = 0

export class Ticket {
  constructor(app) {
    Object.assign(this, { app, symbol: null, key: null, accepted: null, asked: '' })
    const id = ++ids
    this.inputs = {
      size: field('size', { inputmode: 'decimal', value: '10' }),
      price: field('price', { inputmode: 'decimal' }),
      stop: field('stop', { inputmode: 'decimal' }),
      trail: field('trail', { inputmode: 'text', placeholder: '0.50 or 2%' }),
    }
    this.kind = choice('kind', KINDS)
    this.time = choice('time', TIMES)
    this.account = choice('account', [])
    this.sides = ['buy', 'sell'].map(side => h('input', { type: 'radio', name: 'side', value: side }))
    this.sides[0].checked = true
    this.lines = {}
    const line = (name, label, input) => {
      input.id = `ticket${id}-${name}`
      return (this.lines[name] = h('div', { class: 'ticket-line' }, h('label', { for: input.id }, label), input))
    }
    this.preview = h('output', { class: 'preview', 'aria-label': 'Preview' })
    this.button = h('button', { class: 'go' }, 'Buy')
    this.note = h('small', { class: 'dim' }, 'on paper')
    this.form = h('form', { class: 'ticket', autocomplete: 'off' },
      h('fieldset', { class: 'sides' }, h('legend', { class: 'hidden-text' }, 'Side'),
        h('label', {}, this.sides[0], 'Buy'), h('label', {}, this.sides[1], 'Sell')),
      line('size', 'Quantity', this.inputs.size), line('kind', 'Type', this.kind), line('price', 'Limit', this.inputs.price), line('stop', 'Stop', this.inputs.stop),
      line('trail', 'Trail', this.inputs.trail), line('time', 'Valid', this.time), line('account', 'Account', this.account),
      this.preview, this.button)
    this.form.addEventListener('input', () => this.#changed())
    this.form.addEventListener('submit', event => {
      event.preventDefault()
      this.#send()
    })
    this.element = h('div', {}, h('h2', { class: 'with-note' }, 'Order', this.note), this.form)
    this.changed('accounts')
    this.#fields()
  }

  show(symbol) {
    if (symbol === this.symbol) return
    this.symbol = symbol
    for (const name of ['price', 'stop', 'trail']) this.inputs[name].value = ''
    this.#changed()
  }

  stop() {
    clearTimeout(this.timer)
    this.symbol = null
  }

  /** Chooses a side and puts the cursor into the quantity. */
  begin(side) {
    this.sides[side === 'sell' ? 1 : 0].checked = true
    this.#changed()
    this.inputs.size.focus()
    this.inputs.size.select()
  }

  /** Fills the fields that are still empty from the market's price. */
  price(row) {
    if (!row) return
    const side = this.side === 'buy' ? row.ask : row.bid
    const text = decimal(side ?? row.price, row.decimals).replaceAll(',', '')
    const { price, stop } = this.inputs
    if (price.placeholder === text) return
    price.placeholder = stop.placeholder = text
    // What a market order would cost moves with the market.
    if (this.accepted && this.kind.value !== 'limit' && performance.now() - this.askedAt > RENEW) this.#ask(this.order)
  }

  /** Asks again what was refused or not answered, for instance by a run that was about to end. */
  renew() {
    if (this.symbol && this.accepted === null && !this.#wrong(this.order)) this.#ask(this.order)
  }

  changed(name) {
    if (name !== 'accounts') return
    const names = this.app.model.accounts.map(account => account.account)
    if (names.join() === this.accountNames) return
    this.accountNames = names.join()
    const chosen = this.account.value || this.app.settings.account
    this.account.replaceChildren(...names.map(each => h('option', { value: each }, each)))
    if (names.includes(chosen)) this.account.value = chosen
    this.lines.account.hidden = names.length < 2
    if (this.symbol) this.#changed()
  }

  get side() {
    return this.sides[1].checked ? 'sell' : 'buy'
  }

  get order() {
    const kind = this.kind.value
    const text = name => this.inputs[name].value.trim().replaceAll(',', '')
    return {
      account: this.account.value || null, side: this.side, symbol: this.symbol, size: text('size'), kind,
      price: kind === 'limit' || kind === 'stop_limit' ? text('price') : null,
      stop: kind === 'stop' || kind === 'stop_limit' ? text('stop') : null,
      trail: kind === 'trailing_stop' ? text('trail') : null,
      time: this.time.value,
    }
  }

  #fields() {
    const kind = this.kind.value
    this.lines.price.hidden = kind !== 'limit' && kind !== 'stop_limit'
    this.lines.stop.hidden = kind !== 'stop' && kind !== 'stop_limit'
    this.lines.trail.hidden = kind !== 'trailing_stop'
  }

  #changed() {
    this.#fields()
    this.key = newKey() // a changed order is another order
    this.accepted = null
    this.asked = '' // an answer that is still on its way is that of another order
    clearTimeout(this.timer)
    if (!this.symbol) return
    const { order } = this
    setText(this.button, `${order.side === 'buy' ? 'Buy' : 'Sell'} ${order.size} ${this.symbol}`)
    const wrong = this.#wrong(order)
    this.button.disabled = true
    if (wrong) {
      this.#say(wrong)
      return
    }
    this.timer = setTimeout(() => this.#ask(order), WAIT)
  }

  /** What can be said without asking: a field that is no number. */
  #wrong(order) {
    const positive = text => units(text) > 0
    if (!positive(order.size)) return 'Quantity: a number above 0'
    if (order.price !== null && !positive(order.price)) return 'Limit: a price above 0'
    if (order.stop !== null && !positive(order.stop)) return 'Stop: a price above 0'
    if (order.trail !== null && !positive(order.trail.replace(/\s*%$/, ''))) return 'Trail: a price, or per cent such as 2%'
    return null
  }

  async #ask(order) {
    const asked = (this.asked = JSON.stringify(order))
    this.askedAt = performance.now()
    try {
      const answer = await post('/orders/preview', order)
      if (asked !== this.asked || order.symbol !== this.symbol) return
      this.#show(answer)
    } catch (error) {
      if (asked === this.asked) this.#say(error.message)
    }
  }

  #show({ accepted, text, cost, fee, cash }) {
    const line = (name, value) => [h('span', {}, name), h('b', {}, money(amount(value)))]
    const lines = [cost !== undefined && line('Value', cost), fee !== undefined && line('Fee', fee), cash !== undefined && line('Cash after', cash)].filter(Boolean)
    this.preview.replaceChildren(h('p', { class: accepted ? 'dim' : 'bad' }, text ?? ''), ...lines.flat())
    this.accepted = accepted ? this.asked : null
    this.button.disabled = !accepted
  }

  #say(text) {
    this.preview.replaceChildren(h('p', { class: 'bad' }, text))
  }

  async #send() {
    const { order, key } = this
    if (this.accepted !== JSON.stringify(order) || this.sending) return
    this.sending = true
    this.button.disabled = true
    try {
      // The same key until there is an answer: an order that is sent again after a lost answer is one order.
      const answer = await post('/orders', { ...order, key })
      if (answer?.accepted === false) {
        this.#say(answer.text)
        this.app.say(answer.text)
      } else this.app.noteOrder(answer?.number, `${order.side === 'buy' ? 'Buy' : 'Sell'} ${order.size} ${order.symbol}: ${answer?.text ?? 'the order was accepted'}`)
      if (order.account) this.app.keep({ account: order.account })
      this.#changed()
    } catch (error) {
      if (error.status === 0) {
        this.#say('No answer. Press the button again: the order is sent once.')
        this.button.disabled = false
      } else {
        this.#say(error.message)
        this.app.say(error.message)
      }
    } finally {
      this.sending = false
    }
  }
}

function field(name, properties) {
  return h('input', { class: 'field number', name, autocomplete: 'off', spellcheck: 'false', ...properties })
}

function choice(name, options) {
  return h('select', { class: 'field', name }, options.map(([value, text]) => h('option', { value }, text)))
}

/** 128 random bits; `crypto.randomUUID` is not there on a page without TLS. */
export function newKey() {
  return 'web-' + [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
