// @module-tag slow
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { openFront } from '../../../src/fleet/front/open-front.ts'
import { readLeaseHolder } from '../../../src/fleet/keeper/lease.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { createFolder } from '../../helpers/skills.ts'
import { connectEngine, openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()

describe('a front', () => {
  it('is the keeper of its fleet until it is closed', async () => {
    const observer = await openTestEngine(nats.server)
    const HOME = createFolder()
    const { config } = await loadConfig({ cwd: HOME, env: { HOME } })
    const front = await openFront({
      engine: await connectEngine(nats.server, observer.tenant),
      identity: createIdentity('edge'),
      config,
      build: 'test',
      hasSeveralCallers: false,
    })
    const holder = async () => await readLeaseHolder(observer)
    await expect.poll(holder).toMatchObject({ node: 'edge', isReleased: false })
    await front.close()
    expect(await holder()).toMatchObject({ node: 'edge', isReleased: true })
  })
})
