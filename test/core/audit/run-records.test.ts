// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { parseSealedJson, sealJson } from '../../../src/util/sealed-json.ts'
import { BIN } from '../../helpers/built.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const DATA = '.local/share/skills'
const RUNS = `${DATA}/runs`
const CODE = 'def main(args):\n    print("one line")\n    return 1\n'

function listRecords(home: string): string[] {
  return readdirSync(join(home, RUNS), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^\d{4}-.*\.json$/.test(name))
    .toSorted()
    .map((name) => join(home, RUNS, name))
}

/** A home with runs, and the functions that verify it. */
async function createHomeWithRuns(count = 1) {
  const home = createFolder({ 'main.py': CODE })
  const options = { cwd: home, env: { HOME: home } }
  for (let run = 0; run < count; run++)
    expect((await runSkills(['run-code', 'main.py'], options)).code).toBe(0)
  const files = listRecords(home)
  const skills = async (...argv: string[]) => await runSkills(argv, options)
  const verify = async () => await skills('audit', 'verify')
  return { home, files, file: files[0] ?? '', skills, verify }
}

function getId(file: string): string {
  return /run_[0-9a-f]+/.exec(file)?.[0] ?? ''
}

/** Changes the last line of a record, with a correct seal. */
function forge(file: string, change: (record: Record<string, unknown>) => object): string {
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('{"record"'))
  const value = parseSealedJson(lines[at] as string)
  const stored = value as { record: Record<string, unknown> }
  lines[at] = sealJson({ ...stored, record: change(stored.record) })
  return lines.join('\n')
}

type Attack = [what: string, attack: (files: readonly string[]) => void, found: RegExp]

const ATTACKS: Attack[] = [
  [
    'was changed, although its seal is right',
    ([file = '']) =>
      writeFileSync(
        file,
        forge(file, (all) => ({ ...all, duration_ms: 1 })),
      ),
    /run The run record ID was changed: record 2/,
  ],
  [
    'was changed so that it names no record of the log',
    ([file = '']) => {
      const withoutLink = (record: Record<string, unknown>) => {
        const { audit: _, ...policy } = record['policy'] as { audit: object }
        return { ...record, policy, duration_ms: 1 }
      }
      writeFileSync(file, forge(file, withoutLink))
    },
    /run The run record ID was changed: record 2/,
  ],
  [
    'has other logs',
    ([file = '']) => {
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, `${text.slice(0, text.lastIndexOf('one line'))}two line\n`)
    },
    /run The run record ID was changed: record 2/,
  ],
  [
    'was cut after its beginning',
    ([file = '']) => {
      const [first = ''] = readFileSync(file, 'utf8').split('\n')
      writeFileSync(file, `${first}\n`)
    },
    /run The run record ID was cut short: record 2/,
  ],
  [
    'was cut in its last line',
    ([file = '']) => writeFileSync(file, readFileSync(file).subarray(0, -40)),
    /run The run record ID was cut short: record 2/,
  ],
  ['was emptied', ([file = '']) => writeFileSync(file, ''), /run The run record ID is missing/],
  ['was removed', ([file = '']) => rmSync(file), /run The run record ID is missing: record 2/],
  [
    'was swapped with another one',
    ([file = '', other = '']) => {
      const [a, b] = [readFileSync(file), readFileSync(other)]
      writeFileSync(file, b)
      writeFileSync(other, a)
    },
    /run The run record ID is missing|run The run record ID was changed/,
  ],
]

describe('skills audit verify', () => {
  it.each(ATTACKS)('finds a run record that %s, and names the run', async (_, attack, found) => {
    const { files, file, verify } = await createHomeWithRuns(2)
    expect(await verify()).toMatchObject({ code: 0 })
    attack(files)
    const { code, stdout } = await verify()
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(found.source.replaceAll('ID', getId(file))))
  })

  it('finds a run record that no run has written', async () => {
    const { file, verify } = await createHomeWithRuns()
    const id = createRunId()
    const copy = file.replace(/run_[0-9a-f]+/, id)
    const forged = forge(file, (record) => ({ ...record, run_id: id }))
    writeFileSync(copy, forged.replace(/^\{"owner.*\n/, ''))
    const found = await verify()
    expect(found.code).toBe(1)
    expect(found.stdout).toContain(`Record 2 knows no run record ${id}`)
  })

  it('finds nothing after records were removed by a command, or as configured', async () => {
    const { home, files, skills, verify } = await createHomeWithRuns(3)
    expect((await skills('runs', 'rm', getId(files[0] ?? ''))).code).toBe(0)
    const quota = { cwd: home, env: { HOME: home, SKILLS_STORE_QUOTA: '16KiB' } }
    expect((await runSkills(['runs', 'rm', '--expired'], quota)).code).toBe(0)
    expect(listRecords(home)).toHaveLength(1)
    expect(await verify()).toMatchObject({ code: 0 })
    rmSync(listRecords(home)[0] ?? '')
    expect(await verify()).toMatchObject({ code: 1 })
  })

  it('finds nothing if a process ended before the log had the end of its run', async () => {
    const home = createFolder({ 'main.py': CODE })
    const { config } = await loadConfig({ cwd: home, env: { HOME: home }, noFiles: true })
    const log = openAuditLog(join(home, DATA, 'audit'), config.audit)
    const found: string[] = []
    const runtime = createRuntime({
      config,
      stores: {
        audit: async () => ({
          ...log,
          flush: async () => await log.flush(),
          append: async (entry, options) => {
            if (entry.event !== 'ended') return await log.append(entry, options)
            found.push(...listRecords(home))
            throw new Error('killed')
          },
        }),
      },
    })
    const call = { env: {}, cwd: home, caller: { door: 'library', name: 'test' } } as const
    const running = runtime.runCode({ language: 'python', code: CODE }, call)
    await expect(running).rejects.toThrow('killed')
    // The record was there before the end of the log.
    expect(found).toHaveLength(1)
    const verified = await runSkills(['audit', 'verify'], { cwd: home, env: { HOME: home } })
    expect(verified).toMatchObject({ code: 0 })
  })

  it('finds nothing after runs were killed at any time', async () => {
    const home = createFolder({ 'main.py': CODE })
    const env = { PATH: process.env['PATH'], HOME: home }
    for (let run = 0; run < 8; run++) {
      const child = spawn(process.execPath, [BIN, 'run-code', 'main.py'], {
        cwd: home,
        env,
        stdio: 'ignore',
      })
      await Promise.race([once(child, 'exit'), sleep(300 + Math.random() * 900)])
      child.kill('SIGKILL')
    }
    const verified = await runSkills(['audit', 'verify'], { cwd: home, env: { HOME: home } })
    expect(verified.stdout).toContain('intact')
    expect(verified).toMatchObject({ code: 0 })
  }, 60_000)
})
