// Rules and what they said. News become toasts, announcements, and notifications of the browser where they are allowed.
import { get, part, post, put, remove } from './api.js'

export class Alerts {
  constructor(app) {
    Object.assign(this, { app, rules: [], loaded: false, listeners: new Set() })
    app.model.on('rules', rules => this.#take(rules))
    app.model.on('alerts', ({ news, missed }) => this.#news(news, missed))
    this.since = Date.now() - 2000 // what is older was there before the page was opened, and is no news
  }

  async load() {
    try {
      this.#take(await get('/alerts'))
    } catch (error) {
      if (error.status !== 404) this.app.fail(error)
    }
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

  #news(news, missed) {
    const fresh = news.filter(alert => alert.time >= this.since - (this.app.model.ahead < 0 ? this.app.model.ahead : 0) || alert.time > Date.now() - 5000)
    for (const alert of fresh.slice(-4)) {
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
    if (missed > 0) this.app.say(`${missed} more alerts`)
    for (const listener of this.listeners) listener()
  }

  #take(rules) {
    this.rules = rules
    this.loaded = true
    for (const listener of this.listeners) listener()
  }
}
