import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BUILT_MODULES } from '../../helpers/built.ts'

const SCRIPT = fileURLToPath(new URL('write-until-killed.ts', import.meta.url))

/** Digests by id of the blobs that were acknowledged before the writers were killed. */
export type Acknowledged = ReadonlyMap<string, string>

/** Starts several processes that write into one folder, and kills each at a random moment. */
export async function killWriters(how: string, dir: string, count: number): Promise<Acknowledged> {
  const acknowledged = new Map<string, string>()
  await Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, ['--import', BUILT_MODULES, SCRIPT, how, dir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let acknowledgedLine = ''
      child.stdout.on('data', (chunk: Buffer) => (acknowledgedLine += chunk.toString()))
      // Waits for the start: before it there is nothing to lose.
      await once(child.stdout, 'data')
      await sleep(Math.random() * 300)
      child.kill('SIGKILL')
      await once(child, 'close')
      for (const line of acknowledgedLine.split('\n').slice(0, -1)) {
        const [id = '', digest = ''] = line.split(' ')
        acknowledged.set(id, digest)
      }
    }),
  )
  return acknowledged
}
