import { readdirSync, readFileSync, symlinkSync, writeFileSync, mkdirSync, rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SkillsError } from '../../../src/errors.ts'
import {
  acceptSnapshot,
  locateSnapshot,
  readSnapshot,
  removeSnapshot,
  writeSnapshot,
} from '../../../src/core/testing/snapshots/snapshot-files.ts'
import { createFolder } from '../../helpers/skills.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const SOURCE = fileURLToPath(
  new URL('../../../src/core/testing/snapshots/snapshot-files.ts', import.meta.url),
)

describe('snapshot files', () => {
  it('are written, accepted and removed', async () => {
    const path = locateSnapshot(createFolder(), 'greet', 'a.stdout.txt')
    expect(readSnapshot(path)).toBeUndefined()
    await writeSnapshot(`${path}.new`, 'text')
    await acceptSnapshot(path)
    expect(readSnapshot(path)).toBe('text')
    expect(readdirSync(dirname(path))).toEqual(['a.stdout.txt'])
    removeSnapshot(path)
    expect(readSnapshot(path)).toBeUndefined()
  })

  it.each([
    ['tests', '../../../tests'],
    ['tests/snapshots', '../../snapshots'],
    ['tests/snapshots/greet', '../greet'],
    ['tests/snapshots/greet/a.stdout.txt', 'a.stdout.txt'],
  ])('are not read or written through a link at %s', async (link) => {
    const outside = createFolder({
      'snapshots/greet/a.stdout.txt': 'mine',
      'greet/a.stdout.txt': 'mine',
      'a.stdout.txt': 'mine',
    })
    const skill = createFolder()
    const path = locateSnapshot(skill, 'greet', 'a.stdout.txt')
    const at = join(skill, link)
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(link.endsWith('.txt') ? join(outside, 'a.stdout.txt') : outside, at)
    const before = listTexts(outside)
    // The link does lead to a file outside.
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(() => readSnapshot(path)).toThrow(SkillsError)
    expect(() => removeSnapshot(path)).toThrow(SkillsError)
    await expect(writeSnapshot(path, 'theirs')).rejects.toThrow(SkillsError)
    if (!link.endsWith('.txt')) writeFileSync(join(outside, 'a.stdout.txt.new'), 'theirs')
    await expect(acceptSnapshot(path))
      .resolves.toBeUndefined()
      .catch(() => {})
    rmSync(join(outside, 'a.stdout.txt.new'), { force: true })
    expect(listTexts(outside)).toEqual(before)
  })

  it('stay whole if the process dies while it writes', () => {
    const skill = createFolder({ 'tests/snapshots/greet/a.txt': 'old\n' })
    const path = locateSnapshot(skill, 'greet', 'a.txt')
    // The file size limit ends the process in the middle of a write.
    const write = (code: string) =>
      spawnSync('sh', ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, ...run(code)])
    expect(write(`await writeSnapshot(path, 'x'.repeat(900000))`).status).not.toBe(0)
    expect(readFileSync(path, 'utf8')).toBe('old\n')
    // Control: a plain write leaves half a file.
    expect(write(`writeFileSync(path, 'x'.repeat(900000))`).status).not.toBe(0)
    expect(readFileSync(path, 'utf8')).toMatch(/^x{1000,800000}$/)

    function run(code: string): string[] {
      const text = `import { writeFileSync } from 'node:fs'
        import { writeSnapshot } from ${JSON.stringify(SOURCE)}
        const path = ${JSON.stringify(path)}
        ${code}`
      return ['--import', BUILT_MODULES, '--input-type=module', '-e', text]
    }
  })

  it('of a killed process are removed at the next write', async () => {
    const skill = createFolder({ 'tests/snapshots/greet/a.txt': 'old\n' })
    const path = locateSnapshot(skill, 'greet', 'a.txt')
    const script = `import { writeFileSync } from 'node:fs'
      import { createOwnName } from ${JSON.stringify(SOURCE.replace('core/testing/snapshots/snapshot-files', 'util/leftovers'))}
      writeFileSync(${JSON.stringify(dirname(path))} + '/' + createOwnName(), 'half')
      process.kill(process.pid, 'SIGKILL')`
    const args = ['--import', BUILT_MODULES, '--input-type=module', '-e', script]
    expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL')
    expect(readdirSync(dirname(path))).toHaveLength(2)
    await writeSnapshot(path, 'new\n')
    expect(readdirSync(dirname(path))).toEqual(['a.txt'])
  })
})

function listTexts(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  )
}
