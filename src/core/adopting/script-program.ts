import type { SkillFile } from '../skills/manifest/source.ts'

/** Program that starts a script; `typescript` is Node with a loader. */
export interface ScriptProgram {
  program: string
}

/** Programs by file extension. */
const PROGRAMS: Readonly<Record<string, string>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'typescript',
  mts: 'typescript',
  sh: 'bash',
  bash: 'bash',
  rb: 'ruby',
  pl: 'perl',
}

/** Programs by the name in a shebang line. Those of TypeScript and of Python's tools start scripts. */
const INTERPRETERS: readonly (readonly [pattern: RegExp, program: string])[] = [
  [/^(?:python[\d.]*|uv|pipx|poetry)$/, 'python3'],
  [/^(?:tsx|ts-node)$/, 'typescript'],
  [/^(?:node|nodejs|bun|npx)$/, 'node'],
  [/^(?:bash|sh|dash|ksh|zsh)$/, 'bash'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^perl[\d.]*$/, 'perl'],
]

/** Folders whose scripts are not of the skill, or are not started. */
const OTHER_FOLDERS = /(?:^|\/)(?:\.[^/]*|node_modules|__pycache__|venv|site-packages)\//

/** True for a file that may be a script: by its extension, or as a program without one. */
export function isScriptCandidate({ path, type, mode }: SkillFile): boolean {
  if (type === 'directory' || OTHER_FOLDERS.test(path)) return false
  const extension = getExtension(path)
  if (extension !== undefined) return Object.hasOwn(PROGRAMS, extension)
  return type === 'file' && ((mode & 0o111) !== 0 || /(?:^|\/)(?:scripts|bin)\//.test(path))
}

/**
 * Chooses the program of a script. Its shebang line decides, and without one its extension. Returns
 * the name in a shebang line that is not known, and undefined for a file that is not a script.
 */
export function chooseProgram(path: string, text: string): ScriptProgram | string | undefined {
  const extension = getExtension(path) ?? ''
  const byExtension = Object.hasOwn(PROGRAMS, extension) ? PROGRAMS[extension] : undefined
  const name = readShebang(text)
  if (name !== undefined) {
    const program = INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1]
    if (program === undefined) return name
    return { program: program === 'node' && byExtension === 'typescript' ? byExtension : program }
  }
  return byExtension === undefined ? undefined : { program: byExtension }
}

/** The program of `#!/usr/bin/env -S VAR=1 uv run --script`: uv. */
function readShebang(text: string): string | undefined {
  const words = /^#!([^\r\n]*)/.exec(text)?.[1]?.trim().split(/\s+/) ?? []
  const names = words.map((word) => word.split('/').at(-1) ?? '')
  if (names[0] !== 'env') return names[0] === '' ? undefined : names[0]
  return names.slice(1).find((name) => !/^-|=/.test(name))
}

function getExtension(path: string): string | undefined {
  return /[^/]\.(\w+)$/.exec(path)?.[1]
}
