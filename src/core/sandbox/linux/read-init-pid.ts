import type { Readable } from 'node:stream'

/**
 * Reads the PID of the first process, which bwrap reports as soon as it has forked. The stream is
 * read to its end, because bwrap fails if the pipe is not drained.
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
