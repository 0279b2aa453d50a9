// @module-tag nats-server
import { describe, expect, it } from 'vitest'
import { openFleetGrants } from '../../../src/fleet/catalog/fleet-grants.ts'
import { describeGrants } from '../../core/skills/uploads/grants-suite.ts'
import { useTestFleet } from './test-fleet.ts'

const fleet = useTestFleet()

describeGrants('the engine', async () =>
  openFleetGrants(await fleet.connect(await fleet.createTenant())),
)

describe('openFleetGrants()', () => {
  const grant = {
    name: 'user.tools.sync',
    version: '0.1.0+build.1',
    digest: 'sha256:aa',
    secrets: ['API_KEY'],
    network: [],
  }

  it('shows each grant to all nodes, until one revokes it', async () => {
    const tenant = await fleet.createTenant()
    const [one, other] = [await fleet.connect(tenant), await fleet.connect(tenant)]
    await openFleetGrants(one).set(grant)
    expect(await openFleetGrants(other).list()).toEqual([grant])
    await openFleetGrants(other).set({ ...grant, secrets: [] })
    expect(await openFleetGrants(one).list()).toEqual([])
  })

  it('grants nothing by a message that is damaged, or names another skill', async () => {
    const engine = await fleet.connect(await fleet.createTenant())
    const grants = openFleetGrants(engine)
    await grants.set(grant)
    await engine.append('state', 'k.grants.other.1', '{"name":')
    await engine.append('state', 'k.grants.demo=2Eother.1=2E0=2E0', JSON.stringify(grant))
    expect(await grants.list()).toEqual([grant])
  })
})
