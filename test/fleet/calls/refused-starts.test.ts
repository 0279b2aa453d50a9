// @module-tag slow
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { METHODS } from '../../../src/core/methods/index.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { StartMessage } from '../../../src/fleet/messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../../../src/fleet/messages/encoding.ts'
import { findPlace } from '../../../src/fleet/messages/method-places.ts'
import { PROTOCOL } from '../../../src/fleet/messages/node-state.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { startTestFleet, type TestFleet } from '../../helpers/fleet/served-fleet.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'

const CALLER = { env: {}, cwd: '/' }

describe('a worker that receives a start of a hostile node', () => {
  let nats: TestServer
  let fleet: TestFleet
  let engine: Engine
  let dir: string
  beforeAll(async () => {
    nats = await startNatsServer()
    dir = mkdtempSync(join(tmpdir(), 'skills-starts-'))
    const env = { ...INHERITED_ENV, HOME: dir }
    const flags = { 'run.warm': false }
    const loaded = await loadConfig({ cwd: dir, env, flags, noFiles: true })
    fleet = await startTestFleet({ servers: nats.url, loaded, dir, env })
    const { tenant } = fleet
    engine = await openEngine({ servers: nats.url, name: 'hostile', tenant, patienceMs: 10_000 })
  }, 60_000)
  afterAll(async () => {
    await engine.close()
    await fleet.stop()
    await nats.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** Sends a start to a worker, and returns the last reply. */
  async function send(start: Pick<StartMessage, 'method'> & Partial<StartMessage>) {
    const token = randomBytes(8).toString('hex')
    const ended = new Promise<object>((done) => {
      engine.subscribe(`a.hostile.${token}`, ({ body }) => {
        const reply = decodeMessage(body) as { t: string }
        if (reply.t !== 'accepted' && reply.t !== 'fact') done(reply)
      })
    })
    const message = {
      v: PROTOCOL,
      call: createRunId(),
      attempt: 1,
      params: {},
      sent: { caller: { isOperator: true }, allowNetwork: false },
      digest: token,
      front: 'hostile',
      token,
      count: 0,
      catalog: 0,
      ...start,
    }
    engine.publish('w.w0.start', encodeMessage(message))
    return await ended
  }

  const refuse = (code: string) => ({ t: 'end', answer: { error: { code } } })

  it('performs a method that fronts send to workers', async () => {
    expect(await send({ method: 'runtime.languages' })).toMatchObject({
      answer: { result: { languages: expect.any(Array) as unknown } },
    })
  })

  const ofFronts = METHODS.filter((each) => findPlace(each, {}, CALLER).where === 'front')
  it.each(ofFronts.map(({ name }) => name))('refuses %s, which fronts perform', async (method) => {
    expect(await send({ method })).toMatchObject(refuse('fleet/no-worker'))
  })

  it('refuses a method of a session without its home', async () => {
    const start = { method: 'workspace_list', params: { session: 'mine' } }
    expect(await send(start)).toMatchObject(refuse('params/invalid'))
  })
})
