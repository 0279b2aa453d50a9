import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { createSkillsApp } from '../../src/server/index.ts'
import { createFolder } from '../helpers/skills.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'

async function createMountedApp(options: { allowedHosts?: string[]; console?: boolean } = {}) {
  const cwd = createFolder()
  const env = { HOME: cwd, ...INHERITED_ENV }
  const { config } = await loadConfig({ cwd, env, noFiles: true })
  return createSkillsApp({ runtime: createRuntime({ config }), cwd, env, ...options })
}

const call = (host: string, body: object) => ({
  method: 'POST',
  headers: { host, 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
})

describe('createSkillsApp()', () => {
  it('answers without a port', async () => {
    const { app } = await createMountedApp()
    const response = await app.request('/rpc', call('localhost', { method: 'list_skills' }))
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveProperty('result.skills')
  })

  it('can be mounted in another app, with bodies and all of its checks', async () => {
    const { app } = await createMountedApp()
    const own = new Hono().get('/own', (c) => c.text('mine'))
    own.mount('/', app.fetch)
    const response = await own.request('/rpc', call('localhost', { method: 'list_skills' }))
    expect(await response.json()).toHaveProperty('result.skills')
    expect((await own.request('/rpc', call('other', { method: 'list_skills' }))).status).toBe(403)
    expect(await (await own.request('/own')).text()).toBe('mine')
  })

  it('trusts only the given names', async () => {
    const { app } = await createMountedApp({ allowedHosts: ['skills.example.com'] })
    const ask = async (host: string) =>
      (await app.request('/rpc', call(host, { method: 'list_skills' }))).status
    expect(await ask('skills.example.com')).toBe(200)
    expect(await ask('other.example.com')).toBe(403)
  })

  it('serves the console only if it is asked to', async () => {
    const headers = { host: 'localhost' }
    const { app } = await createMountedApp({ console: true })
    const page = await app.request('/console/', { headers })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const other = await createMountedApp()
    expect((await other.app.request('/console/', { headers })).status).toBe(404)
  })

  it('rejects runs after close()', async () => {
    const { app, close } = await createMountedApp()
    close()
    const params = { language: 'python', code: 'def main(a):\n  return 1' }
    const response = await app.request('/rpc', call('localhost', { method: 'run_code', params }))
    expect(await response.json()).toMatchObject({ error: { code: -32003 } })
    expect((await app.request('/readyz', { headers: { host: 'localhost' } })).status).toBe(503)
  })
})
