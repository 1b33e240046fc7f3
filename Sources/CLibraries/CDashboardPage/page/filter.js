// The field that filters as you type: words of a name, or an expression as in YAML; the server's error is shown at its character.
import { h } from './dom.js'

const WAIT = 120 // ms after the last key

/** Whether the text is a condition; anything else is searched for in symbols, names and industries. */
export function isExpression(text) {
  return /[<>=!()]|\b(in|matches|and|or|not)\b.*\S/.test(text) && !/^[\w .&'-]+$/.test(text)
}

export class FilterField {
  constructor({ changed, leave }) {
    this.input = h('input', {
      type: 'text', 'aria-label': 'Filter', autocomplete: 'off', spellcheck: 'false', placeholder: 'Filter: a name, or price > 100 and change < 0',
      'aria-describedby': 'filter-error', title: 'f',
    })
    this.error = h('p', { class: 'filter-error', id: 'filter-error', role: 'alert' })
    this.element = h('div', { class: 'filter' }, this.input, this.error)
    let timer = 0
    const tell = () => {
      clearTimeout(timer)
      if (this.told !== this.input.value.trim()) changed(this.told = this.input.value.trim())
    }
    this.input.addEventListener('input', () => {
      clearTimeout(timer)
      timer = setTimeout(tell, WAIT)
    })
    this.input.addEventListener('keydown', event => {
      if (event.key === 'Escape') {
        event.stopPropagation()
        this.input.value = ''
        tell()
        leave()
      } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
        event.preventDefault()
        tell()
        leave()
      }
    })
  }

  focus() {
    this.input.focus()
    this.input.select()
  }

  /** Shows what is wrong, with the text from the character on underlined. */
  showError(error) {
    if (!error) {
      this.error.replaceChildren()
      this.input.removeAttribute('aria-invalid')
      return
    }
    this.input.setAttribute('aria-invalid', 'true')
    const text = this.input.value.trimStart()
    const at = error.at === undefined || error.at === null ? -1 : Math.min(error.at, text.length)
    const where = at < 0 ? [] : [text.slice(0, at), h('mark', {}, text.slice(at) || ' '), '\n']
    this.error.replaceChildren(...where, error.message + (at < 0 ? '' : ` (at character ${at + 1})`))
  }
}
