// Requests to /api. Every failure is an Error whose message can be shown.

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message)
    Object.assign(this, { status, code })
  }
}

/** @param {'GET' | 'POST' | 'PUT' | 'DELETE'} method */
export async function request(method, path, body) {
  const options = { method, headers: { Accept: 'application/json' }, credentials: 'same-origin' }
  if (body !== undefined) {
    options.headers['Content-Type'] = 'application/json'
    options.body = JSON.stringify(body)
  } else if (method !== 'GET') options.headers['Content-Type'] = 'application/json'
  let response
  try {
    response = await fetch('/api' + path, options)
  } catch {
    throw new ApiError(0, 'no_connection', 'stockbus cannot be reached')
  }
  const text = await response.text()
  let value = null
  try {
    value = text ? JSON.parse(text) : null
  } catch {
    throw new ApiError(response.status, 'no_json', `the response is not JSON (status ${response.status})`)
  }
  if (!response.ok) {
    const error = value?.error ?? {}
    throw new ApiError(response.status, error.code ?? 'failed', error.message ?? `the request failed (status ${response.status})`)
  }
  return value
}

export const get = path => request('GET', path)
export const post = (path, body) => request('POST', path, body)
export const put = (path, body) => request('PUT', path, body)
export const remove = (path, body) => request('DELETE', path, body)
export const part = encodeURIComponent
