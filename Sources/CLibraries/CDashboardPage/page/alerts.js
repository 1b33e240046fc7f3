// Rules and what they said. News become toasts, announcements, and notifications of the browser where they are allowed.
import { get, part, post, put, remove } from './api.js'

const MOST_SHOWN = 4

export class Alerts {
  constructor(app) {
    Object.assign(this, { app, rules: [], loaded: false, listeners: new Set() })
    app.model.on('rules', rules => this.#take(rules))
    app.model.on('alerts', alerts => this.#news(alerts))
  }

  async load() {
    try {
      this.#take(await get('/alerts'))
    } catch (error) {
      if (error.status !== 404) this.app.fail(error)
    }
  }

  forget() {
    this.#take([])
    this.loaded = false
  }

  on(listener) {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  of(symbol) {
    return this.rules.filter(rule => rule.symbol === symbol)
  }

  /** Makes a rule as in YAML, such as `{ name, symbol, crosses_above: '88' }`. */
  async make(rule) {
    const made = await post('/alerts', rule)
    await this.load()
    this.app.say(`Alert: ${rule.name}`)
    return made
  }

  async mute(rule) {
    await this.#change(() => put('/alerts/' + part(rule.id), { muted: !rule.muted }))
  }

  async remove(rule) {
    await this.#change(() => remove('/alerts/' + part(rule.id)))
  }

  async #change(action) {
    try {
      await action()
      await this.load()
    } catch (error) {
      this.app.fail(error)
    }
  }

  get canNotify() {
    return 'Notification' in window && window.isSecureContext
  }

  async allowNotifications() {
    return this.canNotify && (await Notification.requestPermission()) === 'granted'
  }

  #news({ news, missed, isPast }) {
    for (const alert of isPast ? [] : news.slice(-MOST_SHOWN)) {
      this.app.toasts.show({ text: alert.message || alert.rule, link: '/symbol/' + part(alert.symbol) })
      this.app.say(alert.message || alert.rule)
      if (this.app.settings.notify && this.canNotify && Notification.permission === 'granted') {
        const shown = new Notification(alert.rule, { body: alert.message, tag: `stockbus-${alert.number}`, icon: '/page/icon.svg' })
        shown.onclick = () => {
          focus()
          this.app.go('/symbol/' + part(alert.symbol))
        }
      }
    }
    if (missed > 0 && !isPast) this.app.say(`${missed} more alerts`)
    for (const listener of this.listeners) listener()
  }

  #take(rules) {
    this.rules = rules
    this.loaded = true
    for (const listener of this.listeners) listener()
  }
}
