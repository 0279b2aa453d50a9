// Serves a page, the client library and the Skills Protocol from one origin.
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { createRuntime, loadConfig } from 'skills-protocol'
import { createSkillsApp } from 'skills-protocol/server'

const context = { cwd: process.cwd(), env: process.env }
const { config } = await loadConfig(context)
const skills = createSkillsApp({ runtime: createRuntime({ config }), ...context })
const app = new Hono()

// The modules of the client import only each other, so that a browser loads them without a bundler.
const dist = fileURLToPath(new URL('..', import.meta.resolve('skills-protocol/client')))
const rewriteRequestPath = (path) => path.replace('/skills-protocol/', '/')
app.get('/skills-protocol/errors.js', serveStatic({ root: dist, path: 'errors.js' }))
app.get('/skills-protocol/client/*', serveStatic({ root: dist, rewriteRequestPath }))
app.get('/', serveStatic({ root: import.meta.dirname, path: 'public/index.html' }))
app.get('/page.js', serveStatic({ root: import.meta.dirname, path: 'public/page.js' }))

// /rpc, /blobs and the other endpoints of `skills serve`. The app checks the Host and Origin headers.
app.route('/', skills.app)

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.argv[2] ?? 8080) },
  ({ port }) => console.log(`http://127.0.0.1:${port}/`),
)

process.once('SIGTERM', () => {
  skills.close()
  server.close()
})
