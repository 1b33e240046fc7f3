// The socket: hello with cursor and epoch, one frame at a time, the next one when this one was painted, and again after a loss.

const REFUSED = 1008 // also when the session has ended
const FIRST_WAIT = 250
const LONGEST_WAIT = 10000
const REST = 38 // ms behind a frame of which not all was written: 20 frames come in a second, each shortly before the screen shows one
const LEAST_BETWEEN_REQUESTS = 40 // ms; the server takes 50 messages a second

export class Connection {
  /**
   * @param {import('./model.js').Model} model
   * @param {{ paint: (frameTime: number) => void, status: () => void, columns: (list: object[]) => void, connected: () => void, error: (message: object) => void, refused: () => void,
   *           isBehind: () => boolean }} page
   */
  constructor(model, page) {
    Object.assign(this, { model, page, state: 'closed', over: false, paused: false, wait: FIRST_WAIT, again: 0, wanted: new Map(), sent: new Map() })
    this.pending = null // the frame that waits for an animation frame, and its text
    this.painted = 0
    this.afterPaint = new MessageChannel()
    this.afterPaint.port1.onmessage = () => this.#acknowledge()
    addEventListener('online', () => this.state === 'lost' && this.open())
    document.addEventListener('visibilitychange', () => !document.hidden && this.state === 'lost' && this.open())
  }

  open() {
    clearTimeout(this.timer)
    clearTimeout(this.resting)
    this.socket?.close()
    this.pending = null // a frame that was not painted is told again, by the cursor; it may belong to a run that is over
    this.opened = false
    this.#change('connecting')
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
    const socket = new WebSocket(`${scheme}//${location.host}/live`, 'stockbus.v1')
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    socket.onopen = () => {
      this.opened = true
      this.sent.clear()
      this.#send({ op: 'hello', epoch: this.model.epoch, cursor: this.model.frame })
    }
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return
      if (typeof data === 'string') this.#text(JSON.parse(data))
      else this.#frame(data)
    }
    socket.onclose = event => socket === this.socket && this.#lost(event)
  }

  close() {
    clearTimeout(this.timer)
    clearTimeout(this.resting)
    const socket = this.socket
    this.socket = null
    socket?.close()
    this.#change('closed')
  }

  /** What the page wants to be told: the last message under each name is sent, at most 25 a second, and again after a loss. */
  want(name, message) {
    this.wanted.set(name, message)
    this.#flushSoon()
  }

  pause(yes) {
    this.paused = yes
    if (!yes && this.pending) this.#schedule()
    this.page.status()
  }

  /** Seconds until the next attempt, while there is no connection. */
  get secondsLeft() {
    return Math.max(0, Math.ceil((this.again - performance.now()) / 1000))
  }

  #text(message) {
    if (message.op === 'welcome') this.#welcome(message)
    else if (message.op === 'state') {
      if (this.pending) this.pending.states.push(message)
      else this.#apply(message)
    } else if (message.op === 'error') this.page.error(message)
    else if (message.op === 'bye') {
      this.over = true
      this.wait = Math.min(60000, Math.max(0, Number(message.again) || 0))
    }
  }

  #welcome({ epoch, resumed, columns = [] }) {
    if (!resumed || epoch !== this.model.epoch) this.model.reset(epoch)
    this.wait = FIRST_WAIT
    this.over = false
    this.resumed = resumed
    this.page.columns(columns)
    this.#change('live')
    this.#flush()
    this.page.connected()
  }

  #frame(buffer) {
    this.pending = { buffer, states: [] }
    if (!this.paused) this.#schedule()
  }

  #schedule() {
    if (this.scheduled) return
    this.scheduled = true
    requestAnimationFrame(time => {
      this.scheduled = false
      if (this.pending && !this.paused) this.#paint(time)
    })
  }

  #paint(time) {
    const { buffer, states } = this.pending
    this.pending = null
    try {
      this.painted = this.model.applyFrame(buffer)
    } catch (error) {
      // Nothing after a broken frame can be trusted: begin again from the start.
      this.model.reset(null)
      this.socket?.close(4000, 'broken frame')
      console.error(error)
      return
    }
    for (const state of states) this.#apply(state)
    this.page.paint(time)
    // More than can be shown is not asked for.
    if (this.page.isBehind()) this.resting = setTimeout(() => this.#acknowledge(), REST)
    else this.afterPaint.port2.postMessage(0) // arrives when this frame was handed to the compositor
  }

  #apply(state) {
    this.model.applyState(state)
  }

  #acknowledge() {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(`{"op":"ready","frame":${this.painted}}`)
  }

  #lost({ code }) {
    this.socket = null
    if (code === REFUSED || !this.opened) this.page.refused()
    const wait = this.wait * (0.75 + Math.random() / 2)
    this.wait = Math.min(LONGEST_WAIT, Math.max(FIRST_WAIT, this.wait * 2))
    this.again = performance.now() + wait
    this.timer = setTimeout(() => this.open(), wait)
    this.#change('lost')
  }

  #flushSoon() {
    if (this.flushTimer) return
    const due = Math.max(0, (this.flushed ?? -Infinity) + LEAST_BETWEEN_REQUESTS - performance.now())
    this.flushTimer = setTimeout(() => this.#flush(), due)
  }

  #flush() {
    clearTimeout(this.flushTimer)
    this.flushTimer = 0
    this.flushed = performance.now()
    if (this.state !== 'live') return
    for (const [name, message] of this.wanted) {
      const text = JSON.stringify(message)
      if (this.sent.get(name) === text) continue
      this.sent.set(name, text)
      this.socket?.send(text)
    }
  }

  #send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message))
  }

  #change(state) {
    if (this.state === state) return
    this.state = state
    this.page.status()
  }
}
