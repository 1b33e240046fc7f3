// Short messages at the edge of the page. They go by themselves, except while somebody reads them.
import { h } from './dom.js'

const LASTS = 8000
const MOST = 4

export class Toasts {
  constructor(host) {
    this.host = host
  }

  /** @param {{ text: string, link?: string, bad?: boolean }} message */
  show({ text, link, bad = false }) {
    const toast = h('div', { class: 'toast', 'data-bad': bad ? 'yes' : null },
      link ? h('a', { href: link }, text) : h('span', {}, text),
      h('button', { type: 'button', 'aria-label': 'Close', onclick: () => toast.remove() }, '×'))
    this.host.append(toast)
    while (this.host.children.length > MOST) this.host.firstChild.remove()
    const leave = () => (toast.matches(':hover, :focus-within') ? setTimeout(leave, 1000) : toast.remove())
    setTimeout(leave, LASTS)
  }
}
