import {
  createExampleMarkdown,
  createExampleToml,
  EXAMPLE_TABLES,
  EXAMPLE_CODE,
  extendExampleBody,
} from '../../../src/core/lint/example-skill.ts'
import type { SnapshotTree } from '../../helpers/compare.ts'

/** Two versions of the example skill, and the differences between them. */
export interface Pair {
  name: string
  before?: SnapshotTree
  after?: SnapshotTree
  /** Codes with subjects, without those of changed files. */
  finds: readonly string[]
}

export const tables = (extra: string) => createExampleToml({}, `${EXAMPLE_TABLES}${extra}`)
export const network = (...hosts: string[]) => ({
  'skill.toml': tables(`\n[permissions]\nnetwork = ${JSON.stringify(hosts)}\n`),
})
export const secrets = (...names: string[]) => ({
  'skill.toml': tables(`\n[permissions]\nsecrets = ${JSON.stringify(names)}\n`),
})
export const secretUse = (lines: string) => ({
  'skill.toml': tables(`\n[permissions.secrets.CRM_KEY]\n${lines}\n`),
})
export const inputs = (...lines: string[]) => ({
  'skill.toml': createExampleToml(
    {},
    `[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\n\n[inputs]\n${lines.join('\n')}\n`,
  ),
})
export const runtime = (line: string) => ({
  'skill.toml': createExampleToml(
    {},
    `[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\n${line}\n`,
  ),
})
export const front = (line: string) => ({
  'SKILL.md': createExampleMarkdown(
    `name: greet\ndescription: Greets somebody by name.\n${line}\n`,
  ),
})
export const body = (text: string) => ({ 'SKILL.md': extendExampleBody(text) })
export const python = (text: string) => ({ 'code/main.py': `${EXAMPLE_CODE}\n${text}\n` })
export const lock = (line: string) => ({
  'skill.toml': tables('\n[dependencies]\npython = "python.lock"\n'),
  'python.lock': `${line}\n`,
})
export const hash = (digit: string) => `--hash=sha256:${digit.repeat(64)}`
export const result = (schema: string) => ({ 'skill.toml': tables(`\n[result]\n${schema}\n`) })
