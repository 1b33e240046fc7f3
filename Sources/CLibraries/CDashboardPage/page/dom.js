// Elements without markup in strings: text from outside can never become HTML.

/**
 * Makes an element. Properties: `class`, `on…` listeners, booleans (true sets an empty attribute, false and null none), other attributes.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string | number | null | undefined | Array<any>)} children
 * @returns {any}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name === 'class') element.className = value
    else if (name === 'value' && 'value' in element) element.value = value
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined).map(child => (typeof child === 'string' ? plain(child) : child)))
  return element
}

// Controls of direction, and what takes no place: with them a text looks like another one. Joiners and variation selectors belong to emoji and to
// letters of some scripts.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|(?<![\u0600-\u1fff\u3400-\u9fff\p{Emoji_Presentation}\p{Extended_Pictographic}\u200c\u200d\ufe00-\ufe0f])[\u200c\u200d\ufe00-\ufe0f]/gu

/** A text from outside as it is shown: what nobody would see has a sign. */
export function plain(text) {
  return /^[ -~]*$/.test(text) ? text : text.replace(HIDDEN, '\ufffd')
}

/** The same for SVG. */
export function svg(tag, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value !== null && value !== undefined) element.setAttribute(name, String(value))
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined))
  return element
}

/** Writes a text only if it is another one, and into the text node that is there: an unchanged node costs no layout. */
export function setText(element, text) {
  if (typeof text === 'string') text = plain(text)
  const only = element.firstChild
  if (only === null || only !== element.lastChild || only.nodeType !== Node.TEXT_NODE) {
    if (element.nodeType === Node.TEXT_NODE) {
      if (element.data !== text) element.data = text
    } else element.textContent = text
  } else if (only.data !== text) only.data = text
}

/** Writes a text with its direction, which colours it: above zero, below, or none. */
export function setSigned(element, text, direction) {
  setText(element, text)
  const name = direction > 0 ? 'up' : direction < 0 ? 'down' : ''
  if (element.dataset.direction !== name) element.dataset.direction = name
}

export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name)
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value))
}

/** The colours of the style sheet by name, as they are in the present theme; a canvas understands no variables. */
export function colours(...names) {
  const probe = h('span', { hidden: true })
  document.body.append(probe)
  const found = {}
  for (const name of names) {
    probe.style.color = `var(--${name})`
    found[name] = getComputedStyle(probe).color
  }
  probe.remove()
  return found
}

/**
 * A table of records with a heading; `columns` are `{ head, number, optional, folds, cell(record) }`, where `cell` gives a node or a text.
 * One that folds is left out while all its cells are empty.
 * Rows keep their elements as long as their key stays, so that focus does not get lost when a list changes.
 */
export class RecordTable {
  constructor({ label, columns, key, empty = 'None.', row = null }) {
    Object.assign(this, { columns, key, row, rows: new Map() })
    this.body = h('tbody')
    this.none = h('p', { class: 'dim none' }, empty)
    this.heads = columns.map(column =>
      h('th', { scope: 'col', class: classOf(column) }, column.hidden ? h('span', { class: 'hidden-text' }, column.head) : column.head))
    this.table = h('table', { class: 'list', 'aria-label': label }, h('thead', {}, h('tr', {}, this.heads)), this.body)
    this.element = h('div', { class: 'records' }, this.table, this.none)
  }

  /** Shows these records, in this order. */
  show(records) {
    const seen = new Set()
    let before = this.body.firstChild
    for (const record of records) {
      const key = String(this.key(record))
      if (seen.has(key)) continue
      seen.add(key)
      let line = this.rows.get(key)
      if (!line) this.rows.set(key, line = this.#line())
      line.record = record
      this.#fill(line)
      if (line.element !== before) this.body.insertBefore(line.element, before)
      else before = before.nextSibling
    }
    for (const [key, line] of this.rows) {
      if (seen.has(key)) continue
      line.element.remove()
      this.rows.delete(key)
    }
    this.table.hidden = records.length === 0
    this.none.hidden = records.length > 0
    this.#fold()
  }

  #fold() {
    const lines = [...this.rows.values()]
    this.columns.forEach((column, index) => {
      if (!column.folds) return
      const isEmpty = lines.every(({ cells }) => cells[index].textContent === '')
      for (const cell of [this.heads[index], ...lines.map(({ cells }) => cells[index])]) if (cell.hidden !== isEmpty) cell.hidden = isEmpty
    })
  }

  /** Writes the rows again whose cells are made from prices. */
  refresh() {
    for (const line of this.rows.values()) this.#fill(line)
  }

  #line() {
    const cells = this.columns.map(column => h('td', { class: classOf(column) }))
    return { element: h('tr', {}, cells), cells, record: null }
  }

  #fill(line) {
    this.columns.forEach((column, index) => {
      const cell = line.cells[index]
      const value = column.cell(line.record, cell)
      if (value === undefined) return // the column has written the cell itself
      if (value instanceof Node) {
        if (cell.firstChild !== value) cell.replaceChildren(value)
      } else setText(cell, value)
    })
    this.row?.(line.record, line.element)
  }
}

function classOf(column) {
  return [column.number ? 'number' : '', column.optional ? 'optional' : '', column.class ?? ''].join(' ').trim() || null
}
