import type { Readable } from 'node:stream'

/**
 * The number of the first process, which bwrap tells as soon as it has made it. What else it says is
 * read as well: bwrap would not survive that nobody listens.
 */
export function readInitPid(info: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = ''
    info.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1]
      if (pid !== undefined) resolve(Number(pid))
    })
  })
}
