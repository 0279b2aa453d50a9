// @module-tag slow
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPrograms, type ProgramReport, type ProgramSpec } from './programs/start-worker.ts'

const OTHER = 65_534
const isRoot = process.getuid?.() === 0

const CONNECT = `import os, socket, sys
with open("/repo/out/written", "a") as file:
    file.write("by a run\\n")
for name in ("/repo/socket", "/repo/out/socket"):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        print("connected")
    except OSError as error:
        print(error.strerror)
for line in open("/proc/self/mountinfo"):
    if "skills-sockets" in line and " /repo/out " not in line:
        print(line)
`

const SUBJECTS = ['namespaces', 'bubblewrap'].flatMap((backend) =>
  [true, false].map((asUser) => ({ backend, asUser, tier: asUser ? 'a user' : 'root' })),
)

/** A folder of a user with two servers, of which one is in the part that runs may write to. */
describe.skipIf(!isRoot).each(SUBJECTS)(
  'a run of $backend that $tier starts (needs root)',
  ({ backend, asUser }) => {
    let data: string
    let reports: Map<string, ProgramReport>
    const servers: Server[] = []
    const path = (name: string) => join(data, name)

    beforeAll(async () => {
      data = mkdtempSync('/tmp/skills-sockets-')
      for (const name of ['repo', 'repo/out', 'other']) mkdirSync(path(name))
      for (const name of ['', 'repo', 'repo/out', 'other']) {
        chownSync(path(name), OTHER, OTHER)
        chmodSync(path(name), 0o755)
      }
      for (const name of ['repo/socket', 'repo/out/socket']) {
        const server = createServer((socket) => socket.destroy())
        await new Promise<void>((resolve) => server.listen(path(name), resolve))
        chmodSync(path(name), 0o777)
        servers.push(server)
      }
      const repository = { source: path('repo'), target: '/repo' } as const
      const writable = { target: '/repo/out', mode: 'read-write' } as const
      const runs: Record<string, NonNullable<ProgramSpec['folders']>> = {
        'next to a writable folder': [
          { ...repository, mode: 'read-only' },
          { ...writable, source: path('other') },
        ],
        'with a writable part': [
          { ...repository, mode: 'read-only' },
          { ...writable, source: path('repo/out') },
        ],
        'with an overlay': [{ ...repository, mode: 'overlay' }],
      }
      const argv = ['/usr/bin/python3', '-c', CONNECT]
      const settings = { 'run.backend': backend }
      reports = await startPrograms(
        Object.entries(runs).map(([id, folders]) => ({ id, argv, settings, folders })),
        { data, asUser },
      )
    })
    afterAll(() => {
      for (const server of servers) server.close()
      rmSync(data, { recursive: true, force: true })
    })

    it('connects to no server of a read-only repository, not even next to a writable one', () => {
      const report = reports.get('next to a writable folder')
      expect(report, report?.stderr).toMatchObject({ status: 'success' })
      expect(report?.stdout).toBe('Connection refused\nNo such file or directory\n')
      expect(readFileSync(path('other/written'), 'utf8')).toContain('by a run')
      expect(report?.isolation?.host_sockets).toEqual(['/repo/out'])
    })

    it('lists the folders in which it does connect', () => {
      const report = reports.get('with a writable part')
      expect(report, report?.stderr).toMatchObject({ status: 'success' })
      // For an ordinary user, bwrap could not open it below a view.
      const isHeld = backend === 'namespaces' || !asUser
      const before = isHeld ? 'Connection refused' : 'connected'
      expect(report?.stdout?.split('\n').slice(0, 2)).toEqual([before, 'connected'])
      expect(report?.isolation?.host_sockets).toEqual([isHeld ? '/repo/out' : '/repo'])
      expect(readFileSync(path('repo/out/written'), 'utf8')).toContain('by a run')
    })

    it('has an overlay that leads to no server', () => {
      const report = reports.get('with an overlay')
      expect(report, report?.stderr).toMatchObject({ status: 'success' })
      expect(report?.stdout).not.toContain('connected')
      expect(report?.isolation).not.toHaveProperty('host_sockets')
    })
  },
)
