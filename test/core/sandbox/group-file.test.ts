import { pbkdf2 } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { GroupFile } from '../../../src/core/sandbox/cgroups/group-file.ts'
import { createFolder } from '../../helpers/skills.ts'

/** Occupies all of Node's worker threads, so that the write is delayed. */
async function keepThreadsBusy(): Promise<void> {
  const work = promisify(pbkdf2)
  await Promise.all(
    Array.from({ length: 8 }, async () => await work('a', 'b', 200_000, 64, 'sha512')),
  )
}

it('a control group file stays open while a write is pending', async () => {
  const dir = createFolder({ 'cgroup.procs': '', other: 'kept' })
  const file = new GroupFile(join(dir, 'cgroup.procs'), 'w')
  const busy = keepThreadsBusy()
  const written = file.writeAsync(4242)
  file.close()
  // Gets the lowest free number, which would be the file's if it had been closed.
  const fd = openSync(join(dir, 'other'), 'r+')
  await Promise.all([written, busy])
  closeSync(fd)
  expect(readFileSync(join(dir, 'other'), 'utf8')).toBe('kept')
  expect(readFileSync(join(dir, 'cgroup.procs'), 'utf8')).toBe('4242')
})

it('a control group file closes for good after a pending write', async () => {
  const path = join(createFolder({ 'cgroup.procs': '' }), 'cgroup.procs')
  const file = new GroupFile(path, 'w')
  const written = file.writeAsync(1)
  file.close()
  expect(openFiles()).toContain(path)
  await written
  expect(openFiles()).not.toContain(path)
  expect(() => file.write(2)).toThrow('is closed')
})

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
}
