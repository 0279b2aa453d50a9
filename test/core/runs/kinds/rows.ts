import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditRecord } from '../../../../src/core/audit/audit-record.ts'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import type { PolicyRunKind } from '../../../../src/core/policy/policy-request.ts'
import type { RunCall } from '../../../../src/core/runs/run-call.ts'
import { createRuntime, type Runtime } from '../../../../src/core/runtime.ts'
import type { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import type { SkillLanguageName } from '../../../../src/core/skills/manifest/skill-languages.ts'
import { SkillsError, type ErrorCode } from '../../../../src/errors.ts'
import { writeTree, type Tree } from '../../../helpers/skills.ts'
import { readLines, readRecords } from '../../audit/entries.ts'

/** One way to execute something. */
export interface KindRow {
  name: string
  kind: PolicyRunKind
  /** The language that the policy and the audit log see. */
  language: string
  /** True if events reach the caller. A session outlives the call that starts it. */
  hasEvents: boolean
  /** True if a call starts no run once its caller is gone. */
  skipsWithoutCaller?: boolean
  /** Prints this text. */
  print(runtime: Runtime, text: string, call: RunCall): Promise<unknown>
}

const PRINT: Readonly<Record<SkillLanguageName, (text: string) => string>> = {
  python: (text) => `def main(args):\n    print(args.get("text", "${text}"))\n    return {}\n`,
  node: (text) => `export function main(args) { console.log(args.text ?? '${text}'); return {} }\n`,
  typescript: (text) =>
    `export function main(args: { text?: string }) { console.log(args.text ?? '${text}'); return {} }\n`,
  shell: (text) => `main() { echo '${text}' >&2; json done=yes; }\n`,
}

const PRINT_CELL = {
  python: (text: string) => `print("${text}")`,
  node: (text: string) => `console.log("${text}")`,
}

const FILES = { python: 'main.py', node: 'main.js', typescript: 'main.ts', shell: 'main.sh' }
const LANGUAGES = ['python', 'node', 'typescript', 'shell'] as const
const SESSION = { session: 's', yield_ms: 20_000 }

/** Every operation that executes something, in each language that it accepts. */
export const KIND_ROWS: readonly KindRow[] = [
  ...LANGUAGES.map((language) => ({
    name: `execute_skill in ${language}`,
    kind: 'execute_skill' as const,
    language,
    hasEvents: true,
    print: async (runtime: Runtime, text: string, call: RunCall) =>
      await runtime.executeSkill({ name: `kinds.${language}`, args: { text } }, call),
  })),
  ...LANGUAGES.map((language) => ({
    name: `run_code in ${language}`,
    kind: 'run_code' as const,
    language,
    hasEvents: true,
    print: async (runtime: Runtime, text: string, call: RunCall) =>
      await runtime.runCode({ language, code: PRINT[language](text) }, call),
  })),
  ...(['python', 'node'] as const).map((language) => ({
    name: `a cell of a kernel in ${language}`,
    kind: 'run_code' as const,
    language,
    hasEvents: true,
    print: async (runtime: Runtime, text: string, call: RunCall) =>
      await runtime.runCode({ language, code: PRINT_CELL[language](text), kernel: language }, call),
  })),
  {
    name: 'runtime.execute',
    kind: 'execute',
    language: 'shell',
    hasEvents: true,
    print: async (runtime, text, call) =>
      await runtime.execute({ runtime: 'shell', code: `echo '${text}'` }, call),
  },
  {
    name: 'runtime.workflow',
    kind: 'execute',
    language: 'shell',
    hasEvents: true,
    skipsWithoutCaller: true,
    async print(runtime, text, call) {
      const params = { runtime: 'shell', code: `echo '${text}'` }
      const { steps } = await runtime.workflow(
        { steps: [{ method: 'runtime.execute', params }] },
        call,
      )
      const [step] = steps
      if (step?.code === undefined) return steps
      throw new SkillsError(step.code as ErrorCode, step.error ?? '')
    },
  },
  {
    name: 'skill_run',
    kind: 'workspace',
    language: 'shell',
    hasEvents: true,
    print: async (runtime, text, call) =>
      await runtime.skillRun({ ...SESSION, skill: 'plain', command: `echo '${text}'` }, call),
  },
  {
    name: 'skill_exec',
    kind: 'workspace',
    language: 'shell',
    hasEvents: false,
    print: async (runtime, text, call) =>
      await runtime.skillExec({ ...SESSION, skill: 'plain', command: `echo '${text}'` }, call),
  },
  {
    name: 'workspace_exec',
    kind: 'workspace',
    language: 'shell',
    hasEvents: true,
    print: async (runtime, text, call) =>
      await runtime.workspaceExec({ session: 's', command: `echo '${text}'` }, call),
  },
  {
    name: 'a session of workspace_exec',
    kind: 'workspace',
    language: 'shell',
    hasEvents: false,
    print: async (runtime, text, call) =>
      await runtime.workspaceExec(
        { session: 's', command: `echo '${text}'`, yield_time_ms: 20_000 },
        call,
      ),
  },
  {
    name: 'shell',
    kind: 'workspace',
    language: 'shell',
    hasEvents: false,
    async print(runtime, text, call) {
      const { startSkillSession } =
        await import('../../../../src/core/workspaces/sessions/skill-exec.ts')
      const session = await startSkillSession(
        runtime,
        { session: 's', skill: 'plain', command: `echo '${text}'` },
        { call, terminal: { columns: 80, rows: 24 }, isAttended: true },
      )
      await session.ended
      return await session.poll(0, 100)
    },
  },
]

/** The secret that every skill of these rows declares and the operator's file contains. */
export const OPERATORS_SECRET = 'operators-secret-0123456789'

interface KindsOptions {
  policy?: string
  settings?: Record<string, unknown>
  sandboxes?: Sandboxes
}

/**
 * Creates a runtime with a skill for each language, an instruction skill, and the operator's
 * secrets.
 */
export async function createKindsRuntime(
  data: string,
  { policy = '', settings = {}, sandboxes }: KindsOptions = {},
): Promise<Runtime> {
  writeTree(data, {
    ...Object.assign({}, ...LANGUAGES.map(buildActionFiles)),
    'skills/plain/SKILL.md': '---\nname: plain\ndescription: Says nothing.\n---\n# Plain\nText.\n',
    'skills/plain/skill.toml': `${formatManifestHead('plain', 'instruction')}[permissions]\nsecrets = ["KINDS_TOKEN"]\n`,
    secrets: `KINDS_TOKEN=${OPERATORS_SECRET}\n`,
    '.config/skills/policy.toml': policy,
  } as Tree)
  const env = { HOME: data, PATH: process.env['PATH'] }
  const flags = {
    'directories.data': join(data, 'data'),
    roots: [join(data, 'skills')],
    'secrets.file': join(data, 'secrets'),
    ...settings,
  }
  const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
  return createRuntime({ config, cacheDir: null, sandboxes })
}

export const readAuditRecords = (data: string): AuditRecord[] =>
  readRecords(join(data, 'data/audit'))

/** Returns all files below the data folder as one text: records, logs, outputs, the audit log. */
export function readStoredFiles(data: string): string {
  const dir = join(data, 'data')
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  return [...texts, ...readLines(join(dir, 'audit'))].join('\n')
}

function buildActionFiles(language: SkillLanguageName): Tree {
  const file = FILES[language]
  return {
    [`skills/${language}/skill.toml`]: `${formatManifestHead(language, 'action')}[runtime]\nlanguage = "${language}"\nentrypoint = "${file}"\nexport = "main"\n[permissions]\nsecrets = ["KINDS_TOKEN"]\n`,
    [`skills/${language}/${file}`]: PRINT[language]('text'),
  }
}

function formatManifestHead(name: string, kind: string): string {
  const full = kind === 'action' ? `kinds.${name}` : name
  return `name = "${full}"\nversion = "0.1.0"\ndescription = "x"\nkind = "${kind}"\n`
}
