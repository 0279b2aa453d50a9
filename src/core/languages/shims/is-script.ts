import { closeSync, openSync, readSync } from 'node:fs'

/** True if the file starts with `#!`, so another program interprets it. */
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
