import type { Hono } from 'hono'
import { SkillsError } from '../errors.ts'
import type { AppEnv } from './app-env.ts'
import { readBody } from './read-body.ts'
import { requestDoor } from './request-door.ts'
import type { Services } from './services.ts'
import { problem } from './problem.ts'

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** `/rpc`: one body in, one body out. */
export function rpcRoutes(app: Hono<AppEnv>, services: Services): void {
  app.post('/rpc', async (c) => {
    checkType(c.req.header('content-type'))
    const { limits, rpc } = services
    const body = await readBody(c.req.raw, {
      maxBytes: limits.bodyBytes,
      timeoutMs: limits.bodyMs,
    })
    const door = requestDoor(services, { caller: c.get('caller'), signal: c.req.raw.signal })
    const reply = await rpc.handle(body, door)
    if (reply.text === undefined) return c.body(null, 204)
    return c.body(reply.text, reply.refused === 'rpc/not-json' ? 400 : 200, JSON_HEADERS)
  })
  app.all('/rpc', (c) => {
    const error = new SkillsError('http/method', `Expected POST, got ${c.req.method}`)
    c.header('allow', 'POST')
    return problem(c, services, error)
  })
}

/** Anything but JSON is refused: it also keeps a form on a web page from calling. */
function checkType(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() === 'application/json' && isUtf8) return
  throw new SkillsError(
    'http/content-type',
    `Expected Content-Type "application/json", got "${(header ?? '').slice(0, 100)}"`,
  )
}
