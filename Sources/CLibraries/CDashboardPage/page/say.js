// Announcements for screen readers: polite, and at most one in three seconds. What came meanwhile is joined.

const LEAST_BETWEEN = 3000

export class Speaker {
  constructor(element) {
    Object.assign(this, { element, waiting: [], timer: 0, spoken: -Infinity })
  }

  say(text) {
    if (!text) return
    this.waiting.push(text)
    if (this.timer) return
    this.timer = setTimeout(() => this.#speak(), Math.max(60, LEAST_BETWEEN - (performance.now() - this.spoken)))
  }

  #speak() {
    this.timer = 0
    this.spoken = performance.now()
    const { waiting } = this
    this.waiting = []
    this.element.textContent = waiting.length > 3 ? `${waiting.length} messages. ${waiting.at(-1)}` : waiting.join('. ')
  }
}
