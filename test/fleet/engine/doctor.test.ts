// @module-tag nats-server
import { expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import type { Machine } from '../../../src/core/doctor/check.ts'
import { selectFleetChecks } from '../../../src/core/doctor/checks/fleet.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { createFolder } from '../../helpers/skills.ts'
import { connectEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()

async function checkFleet(flags: Record<string, unknown>) {
  const cwd = createFolder()
  const { config } = await loadConfig({ cwd, env: { HOME: cwd }, flags, noFiles: true })
  const machine = { config } as Machine
  const results = selectFleetChecks(config).map(async (check) => [
    check.id,
    await check.run(machine),
  ])
  return Object.fromEntries(await Promise.all(results)) as Record<string, object>
}

it('the doctor checks no engine on a machine that belongs to no fleet', async () => {
  expect(await checkFleet({})).toEqual({})
})

it('the doctor names missing streams, and the guarantees of the engine', async () => {
  const { server } = nats
  const flags = { 'fleet.servers': server.url, 'fleet.tenant': 'doctor' }
  const { version } = await connectEngine(server, 'other')
  const before = await checkFleet(flags)
  const detail = `nats-server ${version} at ${server.url}`
  expect(before['fleet-engine']).toEqual({ ok: true, detail })
  expect(before['fleet-streams']).toMatchObject({ ok: false })
  expect(before['fleet-guarantees']).toMatchObject({
    detail: expect.stringContaining('power failure') as string,
  })
  const engine = await connectEngine(server, 'doctor')
  const lifetimes = { runsMs: 1e8, blobsMs: 1e8, outputsMs: 1e8 }
  await initAssets(engine, { lifetimes, replicas: 1 })
  expect((await checkFleet(flags))['fleet-streams']).toMatchObject({ ok: true })
})

it('the doctor does not try the streams of an engine that does not answer', async () => {
  const results = await checkFleet({ 'fleet.servers': 'nats://127.0.0.1:9' })
  expect(results['fleet-engine']).toMatchObject({ ok: false })
  expect(results['fleet-streams']).toMatchObject({ ok: null })
})
