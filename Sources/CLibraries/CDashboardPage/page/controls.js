// Raising, lowering and randomising prices that are made up: commands to the components of the run that have them.
import { get, part, post } from './api.js'
import { h } from './dom.js'

const COMMANDS = [['raise', '+'], ['lower', '-'], ['randomise', 'r']]

/** The components that take a command. A run does not change its components, so they are asked for once. */
async function takers(app, command) {
  app.components ??= get('/run').then(({ components }) => components)
  try {
    const components = await app.components
    return components.filter(({ commands }) => commands?.some(({ usage }) => usage.split(' ')[0] === command)).map(({ id }) => id)
  } catch (error) {
    app.components = null
    throw error
  }
}

/** Changes a price by one step; where several components make prices, the one that knows the symbol does. */
export async function control(app, command, symbol) {
  try {
    if (!app.can('control')) throw new Error('This account may not control the run')
    const ids = await takers(app, command)
    if (ids.length === 0) throw new Error('This run has no generator, whose prices could be changed')
    let problem
    for (const id of ids) {
      try {
        const { reply } = await post(`/components/${part(id)}/commands`, { line: `${command} ${symbol}` })
        app.say(reply)
        return
      } catch (error) {
        problem = error
      }
    }
    throw problem
  } catch (error) {
    app.fail(error)
  }
}

/** The buttons, which are there only where the run has such a component. */
export class Controls {
  constructor(app) {
    this.app = app
    const buttons = COMMANDS.map(([command, key]) => h('button', { type: 'button', class: 'plain', title: key, onclick: () => control(app, command, this.symbol) }, command))
    this.element = h('section', { hidden: true }, h('h2', {}, 'Generator'), h('p', { class: 'buttons' }, buttons))
    if (app.can('control')) takers(app, 'raise').then(ids => (this.element.hidden = ids.length === 0), () => {})
  }

  show(symbol) {
    this.symbol = symbol
  }
}
