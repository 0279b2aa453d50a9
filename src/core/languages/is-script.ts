import { closeSync, openSync, readSync } from 'node:fs'

/** Whether a program is text that another one reads. */
export function isScript(path: string): boolean {
  const fd = openSync(path, 'r')
  try {
    const start = Buffer.alloc(2)
    readSync(fd, start, 0, 2, 0)
    return start.toString('latin1') === '#!'
  } finally {
    closeSync(fd)
  }
}
