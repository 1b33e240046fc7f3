// Log in, sign up, and the account: password, tokens, data, leaving.
import { get, part, post, put, remove } from './api.js'
import { ask } from './dialogs.js'
import { h, RecordTable, setText } from './dom.js'

const LEAST_PASSWORD = 10
const SCOPES = [['read', 'read'], ['trade', 'trade'], ['control', 'control the run']]

/** A form of fields that says what went wrong under them. */
function makeForm(fields, action, send) {
  const error = h('p', { class: 'bad', role: 'alert' })
  const inputs = Object.fromEntries(fields.map(({ name, type = 'text', autocomplete, least }) => [name, h('input', {
    class: 'field', id: 'field-' + name, name, type, autocomplete, required: true, minlength: least, spellcheck: 'false', autocapitalize: 'none',
  })]))
  const button = h('button', { class: 'go' }, action)
  const form = h('form', {}, fields.map(({ name, label }) => [h('label', { for: 'field-' + name }, label), inputs[name]]), error, button)
  form.addEventListener('submit', async event => {
    event.preventDefault()
    setText(error, '')
    button.disabled = true
    try {
      await send(Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value])))
      form.reset()
    } catch (problem) {
      setText(error, problem.message)
    }
    button.disabled = false
  })
  return { form, inputs }
}

export class DoorView {
  isDoor = true

  constructor(app, signUp) {
    const { signup } = app.session
    this.title = signUp ? 'Sign up' : 'Log in'
    const fields = [{ name: 'name', label: 'Name', autocomplete: 'username' }]
    fields.push({ name: 'password', label: 'Password', type: 'password', autocomplete: signUp ? 'new-password' : 'current-password', least: signUp ? LEAST_PASSWORD : null })
    if (signUp && signup === 'invitation') fields.push({ name: 'invitation', label: 'Invitation', autocomplete: 'off' })
    const { form, inputs } = makeForm(fields, this.title, async values => {
      await post(signUp ? '/signup' : '/login', values)
      await app.readSession()
    })
    this.first = inputs.name
    const closed = signUp && signup === 'closed'
    const other = signUp ? h('p', {}, 'You have an account? ', h('a', { href: '/login', class: 'link' }, 'Log in'))
      : signup === 'closed' ? null : h('p', {}, 'No account? ', h('a', { href: '/signup', class: 'link' }, 'Sign up'))
    this.element = h('div', { class: 'door' }, h('h1', {}, this.title), closed ? h('p', {}, 'Only the operator of stockbus creates accounts.') : form, other)
  }

  focus() {
    this.first.focus()
  }
}

export class AccountView {
  constructor(app) {
    Object.assign(this, { app, title: 'Account' })
    const password = makeForm([
      { name: 'old', label: 'Current password', type: 'password', autocomplete: 'current-password' },
      { name: 'new', label: 'New password', type: 'password', autocomplete: 'new-password', least: LEAST_PASSWORD },
    ], 'Change the password', async values => {
      await put('/password', values)
      app.toasts.show({ text: 'The password is changed; other browsers are logged out.' })
      app.say('The password is changed')
    })
    this.tokens = new RecordTable({ label: 'Access tokens', key: token => token.id, empty: 'No access tokens.', columns: [
      { head: 'Name', cell: token => token.name },
      { head: 'Rights', class: 'dim wide', cell: token => token.scopes.join(', ') },
      { head: 'Remove', hidden: true, number: true, cell: (token, cell) => void (cell.firstChild ??
        cell.append(h('button', { type: 'button', 'aria-label': 'Remove ' + token.name, onclick: () => this.#removeToken(token) }, '×'))) },
    ] })
    this.secret = h('p', { class: 'secret', role: 'status' })
    const boxes = SCOPES.map(([value, text]) => {
      const box = h('input', { type: 'checkbox', value })
      box.checked = value === 'read'
      return { box, label: h('label', { class: 'check' }, box, text) }
    })
    const token = makeForm([{ name: 'name', label: 'Name of a new token', autocomplete: 'off' }], 'Create the token', async ({ name }) => {
      const made = await post('/tokens', { name, scopes: boxes.filter(({ box }) => box.checked).map(({ box }) => box.value) })
      this.secret.replaceChildren('Copy it now, it is shown once: ', h('code', {}, made.secret))
      await this.#loadTokens()
    })
    token.form.querySelector('.bad').before(h('div', { class: 'scopes' }, boxes.map(({ label }) => label)))
    const button = (text, action) => h('button', { type: 'button', class: 'plain', onclick: action }, text)
    this.element = h('div', { class: 'page', tabindex: 0, role: 'region', 'aria-label': 'Account' }, h('div', { class: 'narrow' },
      h('h1', {}, app.session.user?.name ?? 'Account'),
      h('p', { class: 'buttons' }, button('Log out', () => this.#logOut(false)), button('Log out everywhere', () => this.#logOut(true)),
        h('a', { class: 'plain', href: '/api/export', download: 'stockbus.json' }, 'Export my data')),
      h('section', {}, h('h2', {}, 'Password'), password.form),
      h('section', {}, h('h2', {}, 'Access tokens'), this.tokens.element, this.secret, token.form),
      h('section', {}, h('h2', {}, 'Delete account'), h('p', { class: 'dim' }, 'Watchlists, alerts, settings and paper accounts of this account are deleted.'),
        button('Delete the account', () => this.#delete()))))
  }

  start() {
    this.#loadTokens()
  }

  focus() {
    this.element.focus({ preventScroll: true })
  }

  async #loadTokens() {
    try {
      this.tokens.show(await get('/tokens'))
    } catch (error) {
      this.app.fail(error)
    }
  }

  async #removeToken(token) {
    if (!(await ask({ title: `Remove the token “${token.name}”?`, action: 'Remove it' }))) return
    await remove('/tokens/' + part(token.id)).catch(error => this.app.fail(error))
    await this.#loadTokens()
  }

  async #logOut(everywhere) {
    await post('/logout', { everywhere }).catch(error => this.app.fail(error))
    await this.app.readSession()
  }

  async #delete() {
    const answer = await ask({ title: 'Delete the account?', text: 'This cannot be undone.', action: 'Delete it', fields: [{ name: 'password', label: 'Password', type: 'password', value: '' }] })
    if (!answer) return
    try {
      await remove('/account', { password: answer.password })
      await this.app.readSession()
    } catch (error) {
      this.app.fail(error)
    }
  }
}
