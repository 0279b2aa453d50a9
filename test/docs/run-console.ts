import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from '../helpers/built.ts'
import { createFolder } from '../helpers/skills.ts'
import { ROOT, type Snippet } from './documents.ts'

/** The project in which the documents' commands run: the example skills, and one with a mistake. */
export function plantProject(): string {
  const cwd = createFolder()
  cpSync(join(ROOT, 'skills'), join(cwd, 'skills'), { recursive: true })
  cpSync(join(ROOT, 'examples/findings'), join(cwd, 'examples/findings'), { recursive: true })
  cpSync(join(ROOT, 'examples/findings/weather'), join(cwd, 'skills/weather'), { recursive: true })
  return cwd
}

/** Runs the console blocks of one document, one after the other, and returns what they print. */
export function runConsole(blocks: readonly Snippet[], cwd = plantProject()): string[] {
  const env = { PATH: process.env['PATH'], HOME: createFolder() }
  return blocks.map(({ code }) => {
    const steps = code.split(/^\$ /m).slice(1)
    return steps
      .map((step) => step.split('\n')[0] ?? '')
      .map((line) => `$ ${line}\n${runLine(line, { cwd, env })}`)
      .join('')
      .trimEnd()
  })
}

function runLine(
  line: string,
  at: { cwd: string; env: Record<string, string | undefined> },
): string {
  const program = PROGRAM.map((word) => `'${word}'`).join(' ')
  const script = `skills() { ${program} "$@"; }; { ${line}; } 2>&1`
  const { stdout } = spawnSync('bash', ['-c', script], { ...at, encoding: 'utf8' })
  return stdout
    .replaceAll(/blob:[0-9a-f]{32}/g, 'blob:…')
    .replaceAll(ROOT.replace(/\/$/, ''), '/path/to/skills')
}
