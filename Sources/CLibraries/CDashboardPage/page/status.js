// The line at the foot: the connection, the sources, the rates; and the clock at the top.
import { h, setText } from './dom.js'
import { age, clock, zoneName } from './time.js'

const SILENT = 5000 // ms without a frame while the socket is open; the server says something every 3 s even if nothing happens

export class Status {
  constructor(app) {
    this.app = app
    this.state = document.getElementById('state')
    this.label = this.state.querySelector('span')
    this.sources = document.getElementById('sources')
    this.rates = document.getElementById('rates')
    this.clockButton = document.getElementById('clock')
    this.hours = document.createTextNode('')
    this.zone = h('small')
    this.clockButton.append(this.hours, ' ', this.zone)
    this.who = document.getElementById('who')
    this.before = { frames: 0, bytes: 0, at: performance.now() }
    this.problem = document.getElementById('problem')
    app.model.on('connections', () => this.#sources())
    app.model.on('status', ({ problems }) => this.#problems(problems ?? []))
  }

  /** The socket's state in a word, and how long until it is tried again. */
  show() {
    const { connection, model } = this.app
    if (!connection) return
    let name = connection.state
    let text = { connecting: 'connecting', live: 'live', closed: 'not connected' }[name]
    const quiet = Date.now() - (model.heard ?? Date.now())
    if (name === 'lost') {
      text = connection.over ? 'the run is over' : 'connection lost'
      if (connection.secondsLeft > 0) text += (connection.over ? ', looking again in ' : ', again in ') + `${connection.secondsLeft} s`
    }
    if (name === 'live' && connection.paused) [name, text] = ['paused', 'paused']
    else if (name === 'live' && quiet > SILENT) [name, text] = ['silent', `silent for ${age(quiet)}`]
    setText(this.label, text)
    if (this.state.dataset.state !== name) {
      const before = this.state.dataset.state
      this.state.dataset.state = name
      const worth = name === 'lost' || name === 'paused' || (name === 'live' && before !== 'connecting') || (name === 'live' && this.wasLost)
      if (name === 'lost') this.wasLost = true
      if (worth) this.app.say(name === 'lost' ? (connection.over ? 'The run is over' : 'Connection lost') : name === 'live' ? 'Connected' : 'Paused')
      if (name === 'live') this.wasLost = false
    }
  }

  showSession() {
    const { session } = this.app
    document.body.classList.toggle('outside', this.app.isOutside)
    setText(this.who, session.accounts && session.user ? session.user.name : 'Settings')
    this.who.setAttribute('href', session.accounts && session.user ? '/account' : '/settings')
  }

  #sources() {
    const broken = this.app.model.connections.filter(({ state }) => !['connected', 'loaded', 'empty'].includes(state))
    setText(this.sources, broken.map(({ component, state, reason }) => `${component} ${state}${reason ? ': ' + reason : ''}`).join(' · '))
    const told = broken.map(({ component, state }) => component + ' ' + state).join(', ')
    if (told !== this.told) {
      if (this.told !== undefined || told) this.app.say(told || 'All sources are connected')
      this.told = told
    }
  }

  /** Why the run does not work as intended: one line over every page, with the number of further reasons. */
  #problems(problems) {
    setText(this.problem, problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : problems[0] ?? '')
    this.problem.title = problems.join('\n')
    this.problem.hidden = problems.length === 0
  }

  frame() {
    if (this.state.dataset.state !== 'live') this.show()
  }

  second() {
    this.clock()
    this.show()
    const { counts, status } = this.app.model
    const now = performance.now()
    const seconds = (now - this.before.at) / 1000
    const frames = Math.round((counts.frames - this.before.frames) / seconds)
    const bytes = Math.round((counts.bytes - this.before.bytes) / seconds / 1024)
    this.before = { frames: counts.frames, bytes: counts.bytes, at: now }
    const parts = [`${frames} frames/s`, `${bytes} KiB/s`, `${counts.leftOut.toLocaleString('en')} updates not shown`]
    if (status) {
      parts.unshift(`${Math.round(status.rate).toLocaleString('en')} events/s`)
      if (status.beyond > 0) parts.push(`${status.beyond.toLocaleString('en')} symbols without a row`)
      if (status.forgotten > 0) parts.push('oldest candles removed')
      parts.push(`${status.clients} ${status.clients === 1 ? 'viewer' : 'viewers'}`)
    }
    setText(this.rates, parts.join('   '))
  }

  clock() {
    const text = clock(this.app.now || Date.now())
    if (this.hours.data !== text) this.hours.data = text
    setText(this.zone, zoneName())
  }
}
