// Questions: a dialog that gives the text that was entered, true where nothing was to be entered, or null if it was left.
import { h } from './dom.js'

/**
 * @param {{ title: string, text?: string, label?: string, value?: string, action: string, most?: number, fields?: { name: string, label: string, value: string, type?: string }[] }} question
 * @returns {Promise<any>} with `fields`, an object of their texts
 */
export function ask({ title, text, label, value = '', action, most = 200, fields }) {
  return new Promise(resolve => {
    const list = fields ?? (label ? [{ name: 'value', label, value }] : [])
    const inputs = list.map(field => h('input', { class: 'field', type: field.type ?? 'text', name: field.name, id: 'ask-' + field.name, value: field.value, maxlength: most, autocomplete: 'off' }))
    const heading = h('h2', { id: 'ask-title' }, title)
    const form = h('form', { method: 'dialog', class: 'question' },
      heading, text ? h('p', {}, text) : null,
      list.map((field, index) => [h('label', { for: 'ask-' + field.name }, field.label), inputs[index]]),
      h('div', { class: 'question-buttons' },
        h('button', { type: 'button', class: 'plain', onclick: () => dialog.close() }, 'Leave it'),
        h('button', { class: 'go', value: 'yes' }, action)))
    const dialog = h('dialog', { 'aria-labelledby': 'ask-title' }, form)
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (dialog.returnValue !== 'yes') resolve(null)
      else if (fields) resolve(Object.fromEntries(inputs.map(input => [input.name, input.value.trim()])))
      else resolve(inputs.length > 0 ? inputs[0].value.trim() : true)
    })
    document.body.append(dialog)
    dialog.showModal()
    inputs[0]?.select()
  })
}
