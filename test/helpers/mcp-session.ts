/** A server, or several that share their sessions. */
export interface SessionServer {
  fetch(path: string, init: RequestInit): Promise<Response>
}

interface Event {
  id?: string | undefined
  data: string
}

const VERSION = '2025-11-25'

/** Opens a connection that reads events one by one and can be cut. */
async function openConnection(server: SessionServer, init: RequestInit) {
  const cut = new AbortController()
  const response = await server.fetch('/mcp', { ...init, signal: cut.signal })
  let text = ''
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const body = isStream ? response.body : undefined
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<Event | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const data = field('data')
        if (data !== undefined) return { id: field('id'), data }
        continue
      }
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return undefined
      text += value
    }
  }
  return { response, next, cut: () => cut.abort() }
}

/** A minimal client of an older revision. */
export async function initialize(server: SessionServer, version = VERSION) {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const post = async (method: string, params?: object, id?: number) =>
    await openConnection(server, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', method, id, params }),
    })
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: version, capabilities: {}, clientInfo }
  const { response } = await post('initialize', params, 1)
  headers['mcp-session-id'] = response.headers.get('mcp-session-id') ?? ''
  headers['mcp-protocol-version'] = version
  await post('notifications/initialized')
  const run = async (code: string) =>
    await post('tools/call', { name: 'run_code', arguments: { language: 'python', code } }, 7)
  const listen = async (eventId?: string) =>
    await openConnection(server, {
      headers: { ...headers, ...(eventId !== undefined && { 'last-event-id': eventId }) },
    })
  return { headers, post, run, listen }
}
