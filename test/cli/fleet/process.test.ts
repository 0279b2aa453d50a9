// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNatsServer } from '../../helpers/fleet/nats-server.ts'
import { startProgram } from '../../helpers/program.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createTenant, startNode, useServer, WORKER } from './fleet-server.ts'

const server = useServer()

function start(argv: readonly string[], url: string, tenant = 'main') {
  const env = { SKILLS_FLEET_SERVERS: url, SKILLS_FLEET_TENANT: tenant }
  return startProgram(['fleet', ...argv], { cwd: createFolder(), env })
}

describe('the process of skills fleet', () => {
  it('ends after its result', async () => {
    const program = start(['nodes'], server.url)
    expect(await program.ended).toBe(0)
    expect(program.stderr()).toBe('No node was heard\n')
  })

  // Also compiles the modules that the tests below load after the signal, which ends the compiler.
  it('ends after an error', async () => {
    const program = start(['drain', 'one'], server.url)
    expect(await program.ended).toBe(2)
  })

  it('ends on Ctrl-C while it waits for a node, and closes its connection', async () => {
    const { engine } = await createTenant(server.url)
    startNode(engine, WORKER)
    const program = start(['drain', 'one'], server.url, engine.tenant)
    await program.says('1 run left', 'stderr')
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    expect(program.stderr()).toContain('Interrupted')
  })

  it('ends on Ctrl-C while the engine does not answer', async () => {
    const stopped = await startNatsServer()
    onTestFinished(async () => await stopped.close())
    const { engine } = await createTenant(stopped.url)
    startNode(engine, WORKER)
    const program = start(['drain', 'one'], stopped.url, engine.tenant)
    await program.says('1 run left', 'stderr')
    stopped.process.kill('SIGSTOP')
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    stopped.process.kill('SIGCONT')
  })

  it('ends on Ctrl-C while it connects to an engine that does not answer', async () => {
    const stopped = await startNatsServer()
    onTestFinished(async () => await stopped.close())
    stopped.process.kill('SIGSTOP')
    const program = start(['status'], stopped.url)
    await program.waitUntilIdle()
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
  })
})
