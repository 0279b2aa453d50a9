import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PROGRAM } from '../helpers/program.ts'
import { createFolder } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const blocks = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```console\n([\s\S]*?)```/g)

/** Command lines, each with its expected output. */
const steps = [...blocks].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [line = '', ...shown] = step.split('\n')
      return { line, shown: shown.join('\n') }
    }),
)

it('the README shows the output of its commands', () => {
  expect(steps.length).toBeGreaterThan(0)
  const cwd = createFolder()
  cpSync(join(ROOT, 'skills'), join(cwd, 'skills'), { recursive: true })
  const program = PROGRAM.map((word) => `'${word}'`).join(' ')
  const env = { PATH: process.env['PATH'], HOME: createFolder() }
  for (const { line, shown } of steps) {
    const script = `skills() { ${program} "$@"; }; { ${line}; } 2>&1`
    const printed = execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8', env })
    expect(printed.replaceAll(/blob:[0-9a-f]{32}/g, 'blob:…'), line).toBe(shown)
  }
})
