// Baseline: Hono on the same Node, with a handler that does nothing.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.post('/rpc', (c) => c.body('{}', 200, { 'content-type': 'application/json' }))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(JSON.stringify({ port }))
})
