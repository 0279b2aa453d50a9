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

// The client is a file that imports only one other, so that a browser loads them without a bundler.
const bundle = fileURLToPath(new URL('..', import.meta.resolve('skills-protocol/client')))
const rewriteRequestPath = (path) => path.replace('/skills-protocol/', '/')
app.get('/skills-protocol/*', serveStatic({ root: bundle, rewriteRequestPath }))
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
