// Settings of the page, and the way to the account.
import { h } from './dom.js'

const CHOICES = [
  ['theme', 'Theme', [['system', 'as the system'], ['light', 'light'], ['dark', 'dark']]],
  ['zone', 'Times', [['exchange', 'of the exchange'], ['local', 'local'], ['UTC', 'UTC']]],
  ['motion', 'Flashes', [['system', 'as the system'], ['less', 'never']]],
]

export class SettingsView {
  constructor(app) {
    Object.assign(this, { app, title: 'Settings', inputs: [] })
    const groups = CHOICES.map(([name, label, options]) => h('fieldset', { class: 'choices' }, h('legend', {}, label), options.map(([value, text]) => {
      const input = h('input', { type: 'radio', name, value, onchange: () => this.#set(name, value) })
      this.inputs.push(input)
      return h('label', { class: 'check' }, input, text)
    })))
    this.element = h('div', { class: 'page', tabindex: 0, role: 'region', 'aria-label': 'Settings' },
      h('div', { class: 'narrow' }, h('h1', {}, 'Settings'), groups, this.#account(),
        h('section', {}, h('h2', {}, 'Links'), h('p', { class: 'dim' }, 'A symbol’s page is at ', h('b', {}, `${location.origin}/symbol/AAPL`),
          '. Links such as ', h('b', {}, 'stocks://symbol/AAPL'), ' open in the terminal with ', h('b', {}, 'stockbus open'), '.')),
        h('p', { class: 'dim' }, app.session.program ?? '')))
  }

  start() {
    this.settingsChanged()
  }

  settingsChanged() {
    for (const input of this.inputs) input.checked = this.app.settings[input.name] === input.value
  }

  focus() {
    this.element.focus({ preventScroll: true })
  }

  #set(name, value) {
    this.app.keep({ [name]: value })
    this.app.applyLook()
  }

  #account() {
    const { session } = this.app
    if (!session.accounts) return h('section', {}, h('h2', {}, 'Account'), h('p', { class: 'dim' }, 'This run has one local user and no accounts.'))
    return h('section', {}, h('h2', {}, 'Account'), h('p', {}, session.user?.name ?? '', ' ', h('a', { href: '/account', class: 'link' }, 'Password, tokens, data')))
  }
}
