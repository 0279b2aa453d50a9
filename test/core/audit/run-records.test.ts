// @module-tag slow
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { parseSealedJson, sealJson } from '../../../src/util/sealed-json.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

const RUNS = '.local/share/skills/runs'

/** A home with a run. */
async function createHomeWithRuns() {
  const home = createFolder({ 'main.py': 'def main(args):\n    return 1\n' })
  const options = { cwd: home, env: { HOME: home } }
  const done = await runSkills(['run-code', 'main.py'], options)
  expect(done.code).toBe(0)
  const [file = ''] = readdirSync(join(home, RUNS), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(home, RUNS, name))
  return { file, verify: async () => await runSkills(['audit', 'verify'], options) }
}

/** Changes the last line of a record, with a correct seal. */
function forge(file: string, change: (record: Record<string, unknown>) => object): string {
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('{"record"'))
  const { value } = parseSealedJson(lines[at] as string)
  const stored = value as { record: Record<string, unknown> }
  lines[at] = sealJson({ ...stored, record: change(stored.record) })
  return lines.join('\n')
}

it('finds a run record that was changed, although its seal is right', async () => {
  const { file, verify } = await createHomeWithRuns()
  expect(await verify()).toMatchObject({ code: 0 })
  writeFileSync(
    file,
    forge(file, (record) => record),
  )
  expect(await verify()).toMatchObject({ code: 0 })
  writeFileSync(
    file,
    forge(file, (record) => ({ ...record, duration_ms: 1 })),
  )
  const found = await verify()
  expect(found.code).toBe(1)
  expect(found.stdout).toMatch(/run The run record run_\w+ was changed: record 2/)
})

it('finds a run record that no run has written', async () => {
  const { file, verify } = await createHomeWithRuns()
  const id = createRunId()
  const copy = file.replace(/run_[0-9a-f]+/, id)
  writeFileSync(
    copy,
    forge(file, (record) => ({ ...record, run_id: id })).replace(/^\{"owner.*\n/, ''),
  )
  const found = await verify()
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(`Record 2 knows no run record ${id}`)
})
