import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFolder } from '../helpers/skills.ts'
import { BUILT_MODULES } from '../helpers/built.ts'

const BYTES = 8 * 1024 ** 2

/** Replaces one file with texts of one letter each, until it is killed. */
const WRITER = `
import { writeFileSync } from 'node:fs'
import { writeFileWhole } from ${JSON.stringify(new URL('../../src/util/files/write-file-whole.ts', import.meta.url).href)}
const [, , how, file] = process.argv
const texts = ['a', 'b'].map((letter) => letter.repeat(${BYTES}))
for (let round = 0; ; round++) {
  const text = texts[round % 2]
  if (how === 'whole') await writeFileWhole(file, text)
  else writeFileSync(file, text)
  if (round === 1) console.log('started')
}
`

/** Kills a writer at a random moment, and returns whether the file is one text. */
async function killWriter(how: 'whole' | 'in place', folder: string): Promise<boolean> {
  const [script, file] = [join(folder, 'writer.mts'), join(folder, 'file.txt')]
  const child = spawn(process.execPath, ['--import', BUILT_MODULES, script, how, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await sleep(Math.random() * 100)
  child.kill('SIGKILL')
  await once(child, 'close')
  const text = readFileSync(file, 'utf8')
  return text === text.charAt(0).repeat(BYTES)
}

it(
  'a killed writer leaves the old text or the new one, never a part',
  { tags: ['slow'] },
  async () => {
    const folder = createFolder({ 'writer.mts': WRITER })
    for (let round = 0; round < 6; round++) expect(await killWriter('whole', folder)).toBe(true)
  },
)

it('a writer that overwrites the file leaves a part (control)', async () => {
  const folder = createFolder({ 'writer.mts': WRITER })
  let isWhole = true
  for (let round = 0; round < 40 && isWhole; round++) isWhole = await killWriter('in place', folder)
  expect(isWhole).toBe(false)
})
