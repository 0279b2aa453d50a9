import { describe, expect, it } from 'vitest'
import { noteDying, turnToCleanUp } from '../../../src/core/sandbox/guest-host/dying.ts'

function death() {
  let die = () => {}
  const dead = new Promise<void>((resolve) => (die = resolve))
  return { dead, die: () => die() }
}

describe('cleaning up after a run that was told to end', () => {
  it('waits until all others that were told are dead, and for nobody otherwise', async () => {
    await turnToCleanUp()
    const [one, other] = [death(), death()]
    noteDying(one.dead)
    noteDying(other.dead)
    const order: string[] = []
    const cleaned = turnToCleanUp().then(() => order.push('cleaned'))
    one.die()
    await one.dead
    await new Promise(setImmediate)
    order.push('other')
    other.die()
    await cleaned
    expect(order).toEqual(['other', 'cleaned'])
    await turnToCleanUp()
  })

  it('does not wait for ever for one that does not die', async () => {
    const stuck = death()
    noteDying(stuck.dead)
    await turnToCleanUp()
    stuck.die()
    await stuck.dead
  })
})
