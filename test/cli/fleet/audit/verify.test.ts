// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import { openFleetAuditLog } from '../../../../src/fleet/audit/fleet-audit-log.ts'
import { writeEpoch } from '../../../../src/fleet/audit/epochs.ts'
import { runSkills } from '../../../helpers/skills.ts'
import { createEntry } from '../../../core/audit/entries.ts'
import { createRecord } from '../../../core/runs/history/example-record.ts'
import { forgeStream } from '../../../fleet/audit/audit-server.ts'
import { OPEN_OPTIONS, openNodeStore } from '../../../fleet/records/run-stores.ts'
import { createTenant, startNode, useServer, WORKER } from '../fleet-server.ts'

const server = useServer()

/** A fleet with the chains of two nodes, of which one left, and an epoch. */
async function createFleet() {
  const tenant = await createTenant(server.url)
  await tenant.fleet(['init'])
  const { engine } = tenant
  const running = openFleetAuditLog(engine, { node: 'one', start: 'aaaa' })
  const left = openFleetAuditLog(engine, { node: 'two', start: 'bbbb' })
  for (const log of [running, left]) await log.append(createEntry(), { durable: true })
  await left.leave()
  const epoch = await writeEpoch(engine)
  return { ...tenant, epoch, log: running }
}

describe('skills fleet verify', () => {
  it('of a fleet without records is intact', async () => {
    const { fleet } = await createTenant(server.url)
    await fleet(['init'])
    expect(await fleet(['verify'])).toMatchObject({
      code: 0,
      stdout: 'intact 0 records in 0 chains, 0 epochs\n',
    })
  })

  it('without streams names the command that creates them', async () => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['verify'])
    expect(code).toBe(3)
    expect(stderr).toContain('skills fleet init')
  })

  it('prints each chain, whether its node runs, and an anchor', async () => {
    const { engine, fleet, epoch } = await createFleet()
    startNode(engine, WORKER)
    const { code, stdout } = await fleet(['verify'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^one\.aaaa +intact +\d+ .* running$/m)
    expect(stdout).toMatch(/^two\.bbbb +intact +\d+ .* left$/m)
    expect(stdout).toMatch(/^intact \d+ records in 2 chains, 1 epoch$/m)
    expect(stdout).toContain(`anchor 1:${epoch?.hash}`)
  })

  it('reports a changed record, and exits with 1', async () => {
    const { engine, fleet } = await createFleet()
    await forgeStream(engine, (messages) =>
      messages.map(({ subject, text }) => ({
        subject,
        text: text.replace('"alice"', '"mallory"'),
      })),
    )
    const { code, stdout } = await fleet(['verify'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^one\.aaaa +not intact/m)
    expect(stdout).toMatch(/^not intact .* problems?$/m)
    expect(stdout).not.toContain('anchor')
  })

  it('reports a run record without its audit record', async () => {
    const { engine, fleet, log } = await createFleet()
    const link = await log.append(createEntry({ event: 'begun' }), { durable: true })
    const record = createRecord(createRunId())
    const runs = openNodeStore(engine, 'one')
    const opened = await runs.open(record, OPEN_OPTIONS)
    const audit = { ...link, hash: 'f'.repeat(64) }
    await opened.close({ ...record, status: 'completed', policy: { ...record.policy, audit } })
    const { code, stdout } = await fleet(['verify'])
    expect(code).toBe(1)
    expect(stdout).toContain(`the first one of ${record.run_id}, is in none of the chains`)
  })

  it('reports an anchor of an epoch that is another one now', async () => {
    const { fleet, epoch } = await createFleet()
    expect((await fleet(['verify', '--anchor', `1:${epoch?.hash}`])).code).toBe(0)
    expect((await fleet(['verify', '--anchor', `1:${'0'.repeat(64)}`])).code).toBe(1)
    const { code, stderr } = await fleet(['verify', '--anchor', '1:x'])
    expect(code).toBe(2)
    expect(stderr).toContain('--anchor')
  })

  it('prints one JSON document', async () => {
    const { fleet, epoch } = await createFleet()
    const { code, json } = await fleet(['verify', '--json'])
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      schema: 'skills.fleet-audit/v1',
      ok: true,
      chains: [
        { node: 'one', start: 'aaaa', isOk: true, hasLeft: false },
        { node: 'two', start: 'bbbb', isOk: true, hasLeft: true },
      ],
      epochs: { epochs: 1, end: { number: 1, hash: epoch?.hash } },
      problems: [],
    })
  })
})

describe('skills audit verify --fleet', () => {
  it('verifies the chains of the fleet, at an address or that of fleet.servers', async () => {
    const { env, engine } = await createFleet()
    const { SKILLS_FLEET_SERVERS, ...tenant } = env
    const verify = ['audit', 'verify', '--fleet']
    const intact = await runSkills(verify, { env })
    expect(intact.code).toBe(0)
    expect(intact.stdout).toMatch(/^intact \d+ records in 2 chains, 1 epoch$/m)
    await forgeStream(engine, (messages) =>
      messages.map(({ subject, text }) => ({ subject, text: text.replace('"alice"', '"mal"') })),
    )
    const forged = await runSkills([...verify, `${SKILLS_FLEET_SERVERS}`, '--json'], {
      env: tenant,
    })
    expect(forged.code).toBe(1)
    expect(forged.json()).toMatchObject({ schema: 'skills.fleet-audit/v1', ok: false })
  })

  it('without the option verifies the log of this machine', async () => {
    const { env } = await createFleet()
    const { code, stdout } = await runSkills(['audit', 'verify'], { env })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'intact 0 records in 0 files\n' })
  })

  it('is refused without an engine, and together with --url', async () => {
    const without = await runSkills(['audit', 'verify', '--fleet'])
    expect(without.code).toBe(2)
    expect(without.stderr).toContain('No engine of a fleet is configured')
    const both = ['audit', 'verify', '--fleet', 'nats://127.0.0.1:1', '--url', 'http://127.0.0.1:1']
    const { code, stderr } = await runSkills(both)
    expect(code).toBe(2)
    expect(stderr).toContain('--fleet and --url select different audits')
    const token = await runSkills(['audit', 'verify', '--fleet', '--token-file', 'token'])
    expect(token.code).toBe(2)
    expect(token.stderr).toContain('--token-file requires a remote runtime')
  })
})
