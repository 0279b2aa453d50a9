import { describe, expect, it } from 'vitest'
import { KillBarrier } from '../../../src/core/sandbox/guest-host/kill-barrier.ts'

function death() {
  let die = () => {}
  const dead = new Promise<void>((resolve) => (die = resolve))
  return { dead, die: () => die() }
}

describe('cleanup after a killed run', () => {
  it('waits until all other killed runs are dead, and for no other runs', async () => {
    const barrier = new KillBarrier()
    await barrier.waitForKilledRuns()
    const [one, other] = [death(), death()]
    barrier.add(one.dead)
    barrier.add(other.dead)
    const order: string[] = []
    const cleaned = barrier.waitForKilledRuns().then(() => order.push('cleaned'))
    one.die()
    await one.dead
    await new Promise(setImmediate)
    order.push('other')
    other.die()
    await cleaned
    expect(order).toEqual(['other', 'cleaned'])
    await barrier.waitForKilledRuns()
  })

  it('does not wait for ever for a run that does not die', async () => {
    const barrier = new KillBarrier()
    const stuck = death()
    barrier.add(stuck.dead)
    await barrier.waitForKilledRuns()
    stuck.die()
    await stuck.dead
  })
})
