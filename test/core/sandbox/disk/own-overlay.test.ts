// @module-tag slow
// @module-tag nightly
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPrograms, type ProgramReport } from '../programs/start-worker.ts'

const OTHER = 65_534
const isRoot = process.getuid?.() === 0
const [major = 0, minor = 0] = release().split('.').map(Number)
const isHeld = major > 6 || (major === 6 && minor >= 6)
const left = isRoot ? (isHeld ? '' : ' (not run: before Linux 6.6)') : ' (not run: only root)'

const CHANGE = `cd /repo && rm -r src && mkdir src && [ -z "$(ls src)" ] && mv src lib && mkdir src &&
echo new >> file.txt && cat file.txt`
const FILL =
  'cd /repo; for i in 1 2 3 4 5 6; do head -c 6000000 /dev/zero > fill-$i; done; ls -s | head -1'
const HIDE = `python3 -c 'import os
for number in range(6):
    fd = os.open("/repo/x", os.O_CREAT | os.O_RDWR, 0o600); os.unlink("/repo/x")
    os.write(fd, bytes(6000000))
'`

describe.skipIf(left !== '').each(['namespaces', 'bubblewrap'])(
  `an overlay of an ordinary user, by %s${left}`,
  (backend) => {
    let data: string
    let reports: Map<string, ProgramReport>
    const path = (name: string) => join(data, name)

    beforeAll(async () => {
      data = mkdtempSync('/tmp/skills-overlay-')
      for (const name of ['repo', 'repo/src']) mkdirSync(path(name), { mode: 0o755 })
      for (const name of ['repo/file.txt', 'repo/src/a.txt']) writeFileSync(path(name), 'old\n')
      // Larger than the limit: an overlay copies nothing.
      writeFileSync(path('repo/large'), Buffer.alloc(40_000_000))
      const all = ['', 'repo', 'repo/src', 'repo/file.txt', 'repo/src/a.txt', 'repo/large']
      for (const name of all) chownSync(path(name), OTHER, OTHER)
      const folders = [{ source: path('repo'), target: '/repo', mode: 'overlay' as const }]
      const settings = { 'run.backend': backend, 'run.limits.workspace': 16 * 1024 ** 2 }
      const specs = Object.entries({ CHANGE, FILL, HIDE }).map(([id, command]) => {
        return { id, argv: ['/bin/sh', '-c', command], folders, settings }
      })
      reports = await startPrograms(specs, { data, asUser: true })
    }, 120_000)
    afterAll(() => rmSync(data, { recursive: true, force: true }))

    it('can be changed like the folder itself, which stays unchanged', () => {
      const report = reports.get('CHANGE')
      expect(report, report?.stderr).toMatchObject({ status: 'success', stdout: 'old\nnew\n' })
      expect(report?.isolation?.folders).toEqual([{ target: '/repo', how: 'overlay' }])
      expect(report?.isolation?.limits).not.toHaveProperty('folders')
      expect(readFileSync(path('repo/src/a.txt'), 'utf8')).toBe('old\n')
      expect(readFileSync(path('repo/file.txt'), 'utf8')).toBe('old\n')
    })

    it.each(['FILL', 'HIDE'])('is limited by the kernel: %s', (id) => {
      expect(reports.get(id)?.stderr).toContain('No space left on device')
    })
  },
)
