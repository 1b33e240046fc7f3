// Places for the nodes of a pipeline: each stands one layer right of the last of its inputs, and near the middle of them.

/**
 * @param {string[]} nodes
 * @param {{ from: string, to: string }[]} edges without cycles; an edge that closes one counts for nothing
 */
export function layOut(nodes, edges) {
  const inputs = new Map(nodes.map(id => [id, []]))
  for (const { from, to } of edges) if (inputs.has(from)) inputs.get(to)?.push(from)
  const layers = new Map()
  const busy = new Set()
  const layerOf = id => {
    if (layers.has(id)) return layers.get(id)
    if (busy.has(id)) return 0
    busy.add(id)
    const layer = inputs.get(id).length === 0 ? 0 : 1 + Math.max(...inputs.get(id).map(layerOf))
    layers.set(id, layer)
    return layer
  }
  for (const id of nodes) layerOf(id)
  const count = Math.max(0, ...layers.values()) + 1
  const columns = Array.from({ length: count }, (_, layer) => nodes.filter(id => layers.get(id) === layer))
  const rows = Math.max(1, ...columns.map(column => column.length))
  const places = new Map()
  for (const [layer, column] of columns.entries()) {
    const wish = id => {
      const rowsOfInputs = inputs.get(id).map(from => places.get(from)?.row).filter(row => row !== undefined)
      return rowsOfInputs.length === 0 ? nodes.indexOf(id) : rowsOfInputs.reduce((sum, row) => sum + row, 0) / rowsOfInputs.length
    }
    const order = layer === 0 ? column : [...column].sort((a, b) => wish(a) - wish(b))
    const offset = (rows - order.length) / 2
    order.forEach((id, index) => places.set(id, { layer, row: index + offset }))
  }
  return { places, layers: count, rows }
}
