// The page of alerts: what has fired, and the rules.
import { part } from './api.js'
import { recorded } from './decimal.js'
import { h, RecordTable } from './dom.js'
import { RuleList } from './rules.js'
import { moment } from './time.js'

export class AlertsView {
  constructor(app) {
    Object.assign(this, { app, title: 'Alerts' })
    this.fired = new RecordTable({ label: 'Alerts that fired', key: alert => alert.number, empty: 'Nothing has fired yet.', columns: [
      { head: 'Time', class: 'dim', cell: alert => moment(alert.time) },
      { head: 'Symbol', cell: (alert, cell) => void (cell.firstChild ?? cell.append(h('a', { href: '/symbol/' + part(alert.symbol) }, alert.symbol))) },
      { head: 'Price', number: true, cell: alert => recorded(alert.price) },
      { head: 'What happened', class: 'wide', cell: alert => alert.message },
      { head: 'Rule', class: 'dim', optional: true, cell: alert => alert.rule },
    ] })
    this.rules = new RuleList(app, { all: true })
    this.notify = h('button', { type: 'button', class: 'plain', onclick: () => this.#allow() })
    this.element = h('div', { class: 'portfolio' },
      h('div', { class: 'portfolio-main', tabindex: 0, role: 'region', 'aria-label': 'Alerts that fired' }, h('h1', { class: 'hidden-text' }, 'Alerts'),
        h('section', {}, h('h2', {}, 'Fired'), this.fired.element)),
      h('aside', { class: 'side', 'aria-label': 'Rules', tabindex: 0 }, h('section', {}, this.rules.element), h('section', {}, this.notify)))
    this.stopAlerts = app.alerts.on(() => this.#show())
  }

  start() {
    this.#show()
  }

  stop() {
    this.stopAlerts()
    this.rules.stop()
  }

  focus() {
    this.element.firstChild.focus({ preventScroll: true })
  }

  settingsChanged() {
    this.fired.refresh()
    this.#show()
  }

  #show() {
    // The numbers of alerts of several sources are not in the order of their times.
    this.fired.show([...this.app.model.alerts].sort((a, b) => b.time - a.time || b.number - a.number))
    const { alerts, settings } = this.app
    this.notify.disabled = !alerts.canNotify || Notification.permission === 'denied'
    this.notify.textContent = !alerts.canNotify ? 'This browser shows notifications over TLS or on this machine only'
      : Notification.permission === 'denied' ? 'The browser does not allow notifications'
      : settings.notify && Notification.permission === 'granted' ? 'Stop notifications of this browser' : 'Show alerts as notifications of this browser'
  }

  async #allow() {
    const { app } = this
    if (app.settings.notify && Notification.permission === 'granted') app.keep({ notify: false })
    else app.keep({ notify: await app.alerts.allowNotifications() })
    this.#show()
  }
}
