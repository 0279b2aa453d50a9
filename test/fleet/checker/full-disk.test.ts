// @module-tag slow
// @module-tag nightly
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { FaultedFleet } from './faulted-fleet.ts'
import { summarize } from './summarize.ts'

const MB = 1024 ** 2
const isRoot = process.getuid?.() === 0
if (!isRoot) console.log('skipped: only root can mount a small disk for the engine')

/** Uses all free space of the disk of the engine. Returns a function that frees it. */
function fillDisk(folder: string): () => void {
  const { bsize, bavail } = statfsSync(folder)
  const file = join(folder, 'other-data')
  writeFileSync(file, Buffer.alloc(bsize * bavail, 1))
  return () => rmSync(file)
}

it.skipIf(!isRoot)(
  'no acknowledged run is lost and no call is unanswered while the disk of the engine is full (needs root)',
  async () => {
    const fleet = await FaultedFleet.start(2, { diskBytes: 16 * MB })
    onTestFinished(async () => await fleet.close())
    expect(new Set(await fleet.load({ calls: 20 }))).toEqual(new Set(['completed']))
    const free = fillDisk(join(fleet.server.dir, 'js'))
    const load = fleet.load({ calls: 60, overMs: 6000 })
    const during = await load
    // The control: a full disk is noticed.
    expect(during.filter((outcome) => outcome !== 'completed')).not.toEqual([])
    free()
    // nats-server 2.9 does not end by SIGTERM then: its streams wait for themselves.
    await fleet.restartEngine('SIGKILL', 100)
    await fleet.waitForEngine()
    await fleet.waitForWorkers(2)
    expect(new Set(await fleet.load({ calls: 20 }))).toEqual(new Set(['completed']))
    expect(await fleet.check()).toEqual([])
    console.log(JSON.stringify(summarize(fleet.entries)))
  },
  240_000,
)
