// The pipeline of the run: its components and edges with live rates, as a drawing and as a table of the same figures.
import { get } from './api.js'
import { h, RecordTable, setAttribute, setText, svg } from './dom.js'
import { layOut } from './layout.js'

const WIDE = 180
const TALL = 44
const GAP_X = 52
const GAP_Y = 22

export class GraphView {
  constructor(app) {
    Object.assign(this, { app, title: 'Graph', shape: '', nodes: new Map(), lines: new Map() })
    this.drawing = svg('svg', { class: 'graph', role: 'img', 'aria-label': 'The pipeline; the table below has its figures' })
    const count = key => ({ number: true, cell: edge => whole(edge[key]) })
    this.table = new RecordTable({ label: 'Edges', key: edge => edge.from + ' ' + edge.to, empty: 'No edges.', columns: [
      { head: 'From', class: 'id', cell: edge => edge.from },
      { head: 'To', class: 'id', cell: edge => edge.to },
      { head: 'In', ...count('in') },
      { head: 'Delivered', ...count('delivered') },
      { head: 'Filtered', optional: true, ...count('filtered') },
      { head: 'Dropped', optional: true, ...count('dropped') },
      { head: 'Conflated', optional: true, ...count('conflated') },
      { head: 'Dead', optional: true, ...count('dead') },
      { head: 'Waiting', ...count('waiting') },
    ] })
    this.element = h('div', { class: 'page', tabindex: 0, role: 'region', 'aria-label': 'Pipeline' },
      h('h1', { class: 'hidden-text' }, 'Graph'), h('div', { class: 'graph-scroll', tabindex: 0, role: 'group', 'aria-label': 'Drawing' }, this.drawing),
      h('section', {}, h('h2', {}, 'Edges'), this.table.element))
  }

  async start() {
    this.app.connection.want('run', { op: 'run', on: true })
    try {
      this.changed('run', await get('/run'))
    } catch (error) {
      this.app.fail(error)
    }
  }

  stop() {
    this.app.connection.want('run', { op: 'run', on: false })
  }

  focus() {
    this.element.focus({ preventScroll: true })
  }

  changed(name, run) {
    if (name !== 'run' || !run) return
    const shape = JSON.stringify([run.components.map(each => each.id), run.edges.map(each => [each.from, each.to])])
    if (shape !== this.shape) {
      this.shape = shape
      this.#draw(run)
    }
    for (const component of run.components) this.#component(component)
    for (const edge of run.edges) this.#edge(edge)
    this.table.show(run.edges)
  }

  #draw({ components: own, edges }) {
    const components = own.concat(topics(own, edges))
    const { places, layers, rows } = layOut(components.map(each => each.id), edges)
    const width = layers * (WIDE + GAP_X) - GAP_X + 2
    const height = rows * (TALL + GAP_Y) - GAP_Y + 2
    setAttribute(this.drawing, 'viewBox', `0 0 ${width} ${height}`)
    setAttribute(this.drawing, 'width', width)
    setAttribute(this.drawing, 'height', height)
    this.drawing.replaceChildren()
    const at = id => {
      const { layer, row } = places.get(id)
      return { x: 1 + layer * (WIDE + GAP_X), y: 1 + row * (TALL + GAP_Y) }
    }
    this.lines = new Map(edges.map(edge => {
      const [from, to] = [at(edge.from), at(edge.to)]
      const [x1, y1, x2, y2] = [from.x + WIDE, from.y + TALL / 2, to.x, to.y + TALL / 2]
      const middle = (x1 + x2) / 2
      const line = svg('path', { d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, class: 'edge' })
      this.drawing.append(line)
      return [edge.from + ' ' + edge.to, { line }]
    }))
    this.nodes = new Map(components.map(component => {
      const { x, y } = at(component.id)
      const name = svg('text', { x: x + 10, y: y + 18, class: 'node-name' }, component.id)
      const plugin = svg('text', { x: x + 10, y: y + 35, class: 'node-plugin' }, component.plugin)
      const rate = svg('text', { x: x + WIDE - 10, y: y + 35, class: 'node-rate', 'text-anchor': 'end' })
      const box = svg('rect', { x, y, width: WIDE, height: TALL, class: 'node' })
      this.drawing.append(box, name, plugin, rate)
      return [component.id, { box, rate }]
    }))
  }

  #component({ id, running, rate, kind }) {
    const node = this.nodes.get(id)
    if (!node) return
    setText(node.rate, kind === 'sink' || rate === null || rate === undefined ? '' : `${whole(rate)}/s`)
    setAttribute(node.box, 'data-running', running ? 'yes' : 'no')
  }

  /** An edge is drawn stronger while events pass it. */
  #edge(edge) {
    const drawn = this.lines.get(edge.from + ' ' + edge.to)
    if (!drawn) return
    const passing = drawn.before !== undefined && edge.delivered !== drawn.before
    setAttribute(drawn.line, 'class', passing ? 'edge passing' : 'edge')
    drawn.before = edge.delivered
  }
}

/** What edges begin at besides components: streams of the run itself, such as connection states. */
function topics(components, edges) {
  const known = new Set(components.map(each => each.id))
  const others = new Set(edges.flatMap(edge => [edge.from, edge.to]).filter(id => !known.has(id)))
  return [...others].map(id => ({ id, plugin: 'of the run' }))
}

function whole(value) {
  return value === undefined || value === null ? '–' : Math.round(Number(value)).toLocaleString('en')
}
