// @module-tag slow
import { describe, expect, it } from 'vitest'
import { SessionFleet } from './session-fleet.ts'

describe('a session whose worker is killed', () => {
  it('continues on another worker with the files of its snapshot', async () => {
    const fleet = await SessionFleet.start(['w1', 'w2'])
    await fleet.write('work/plan.md', 'first')
    await fleet.exec(
      'mkdir -p work/a/b && echo two > work/a/b/c && ln -s a/b work/link && chmod 700 work/a',
    )
    const before = await fleet.readSnapshot()
    const home = await fleet.findHome()
    await fleet.kill(home)
    const read = await fleet.read('work/plan.md', 1)
    expect(read).toMatchObject({ content: 'first' })
    expect(read['warnings']).toEqual([
      `The worker "${home}" of this session is gone: its files were restored from the snapshot of ${before.at}, later changes may be lost, and commands that were running, background processes and kernels are gone`,
    ])
    expect(await fleet.exec('cat work/link/c; stat -c %a work/a')).toBe('two\n700\n')
    expect(await fleet.readHome()).toMatchObject({ generation: 2 })
    expect((await fleet.readHome())?.node).not.toBe(home)
    expect((await fleet.read('work/plan.md'))['warnings']).toBeUndefined()
  })
})
