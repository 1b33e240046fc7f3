// The search: symbols by symbol, name and industry, with the keyboard alone.
import { get, part } from './api.js'
import { h, setAttribute, setText } from './dom.js'

const WAIT = 80
const MOST = 12

export class SearchDialog {
  constructor(app) {
    Object.assign(this, { app, found: [], index: 0 })
    this.input = h('input', {
      type: 'text', role: 'combobox', 'aria-label': 'Search a symbol, a name or an industry', 'aria-expanded': 'true', 'aria-controls': 'found', 'aria-autocomplete': 'list',
      placeholder: 'Symbol, name or industry', autocomplete: 'off', spellcheck: 'false',
    })
    this.list = h('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found' })
    this.note = h('p', { class: 'dim' }, 'Type to search')
    this.dialog = h('dialog', { class: 'finder', 'aria-label': 'Search' }, this.input, this.list, this.note)
    document.body.append(this.dialog)
    this.input.addEventListener('input', () => {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => this.#search(), WAIT)
    })
    this.input.addEventListener('keydown', event => this.#key(event))
    this.list.addEventListener('click', event => {
      const item = event.target.closest('li')
      if (item) this.#take([...this.list.children].indexOf(item))
    })
    this.dialog.addEventListener('click', event => event.target === this.dialog && this.dialog.close())
    this.dialog.addEventListener('close', () => {
      this.resolve?.(null)
      this.resolve = null
    })
  }

  /** Opens the search; what is taken is shown. */
  async open() {
    const symbol = await this.choose()
    if (symbol) this.app.go('/symbol/' + part(symbol))
  }

  /** @returns {Promise<string | null>} the symbol that was taken */
  choose() {
    if (this.dialog.open) return Promise.resolve(null)
    this.input.value = ''
    this.#show([])
    setText(this.note, 'Type to search')
    this.dialog.showModal()
    return new Promise(resolve => (this.resolve = resolve))
  }

  async #search() {
    const text = this.input.value.trim()
    if (!text) return this.#show([])
    try {
      const found = await get(`/search?q=${part(text)}&limit=${MOST}`)
      if (text !== this.input.value.trim()) return
      this.#show(found)
      setText(this.note, found.length === 0 ? `Nothing is called “${text}”` : '')
      this.app.say(found.length === 0 ? 'Nothing found' : `${found.length} found`)
    } catch (error) {
      setText(this.note, error.message)
    }
  }

  #show(found) {
    this.found = found
    this.index = 0
    this.list.replaceChildren(...found.map(({ symbol, name, kind, industry }, index) => h('li', { role: 'option', id: 'found' + index, 'aria-selected': 'false' },
      h('b', {}, symbol), h('span', {}, name ?? ''), h('span', { class: 'dim' }, industry || kind || ''))))
    this.list.hidden = found.length === 0
    this.note.hidden = found.length > 0
    if (found.length > 0) setText(this.note, '')
    this.#mark()
  }

  #mark() {
    [...this.list.children].forEach((item, index) => setAttribute(item, 'aria-selected', index === this.index))
    setAttribute(this.input, 'aria-activedescendant', this.found.length > 0 ? 'found' + this.index : null)
  }

  #key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const count = this.found.length
      if (count > 0) this.index = (this.index + (event.key === 'ArrowDown' ? 1 : count - 1)) % count
      this.#mark()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      this.#take(this.index)
    }
  }

  #take(index) {
    const symbol = this.found[index]?.symbol
    if (!symbol) return
    const { resolve } = this
    this.resolve = null
    this.dialog.close()
    resolve?.(symbol)
  }
}
