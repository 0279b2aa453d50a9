import { chmodSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import { renderTemplate } from './render-template.ts'
import {
  deriveFolderName,
  findImportProblem,
  findNameProblem,
  splitNamePath,
  suggestName,
  deriveTitle,
} from './skill-name.ts'
import { checkAbsent, writeSkill } from './write-skill.ts'
import type { Template } from './templates.ts'

/** Complete values of a new skill. */
interface ScaffoldRequest {
  cwd: string
  name: string
  template: Template
  description: string
  /** Parent of the skill's folder, relative to cwd. */
  parent: string
  /** Returns the reference to the JSON Schema in skill.toml, for a skill's folder. */
  schemaReference: (dir: string) => string
  signal?: AbortSignal
}

/** Result of writing a new skill. */
interface ScaffoldedSkill {
  name: string
  dir: string
  /** Relative to the caller's working directory. */
  shownDir: string
  files: readonly string[]
  /** Arguments for `skills exec`; undefined for a skill without code. */
  example: readonly string[] | undefined
}

/** Maximum length of a description in the Agent Skills format. */
const MAX_DESCRIPTION = 1024

/** Returns the folder of a new skill; throws if a skill of this name cannot be written there. */
export function resolveTargetFolder(
  options: Pick<ScaffoldRequest, 'cwd' | 'name' | 'parent'> & { template?: Template },
): string {
  const isAction = options.template?.kind === 'action'
  const problem = findNameProblem(options.name) ?? (isAction ? findImportProblem(options.name) : undefined)
  if (problem) {
    throw new SkillsError('usage/invalid', problem, {
      hint: suggestCommand(options.name),
      data: { name: options.name },
    })
  }
  const dir = resolve(options.cwd, options.parent, deriveFolderName(options.name))
  checkAbsent(dir)
  return dir
}

function suggestCommand(name: string): string {
  const split = splitNamePath(name)
  if (split) return `Type "skills new ${split.name} --dir ${quoteShellWord(split.dir)}"`
  const better = suggestName(name)
  return better ? `Did you mean "skills new ${better}"?` : 'Type for example: skills new demo.greet'
}

/** The problem with a description; undefined if it is valid. */
export function findDescriptionProblem(text: string): string | undefined {
  if (text.trim() === '') return 'The description is empty; expected what the skill does and when to use it'
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) {
    return 'The description contains a control character or line end; expected one line'
  }
  if (text.length > MAX_DESCRIPTION) {
    return `The description has ${text.length} characters; expected at most ${MAX_DESCRIPTION}`
  }
  return undefined
}

/** Writes a new skill from a template, completely or not at all. */
export function scaffoldSkill(request: ScaffoldRequest): ScaffoldedSkill {
  const dir = resolveTargetFolder(request)
  const problem = findDescriptionProblem(request.description)
  if (problem) {
    throw new SkillsError('usage/invalid', problem, {
      hint: 'Write it as: --description "Greets somebody by name."',
    })
  }
  const shownDir = (relative(request.cwd, dir) || '.').split(sep).join('/')
  const values = {
    name: request.name,
    namespace: request.name.split('.')[0] ?? request.name,
    folder: quoteYamlWord(deriveFolderName(request.name)),
    title: deriveTitle(request.name),
    description: request.description.trim(),
    schema: request.schemaReference(dir),
    dir: shownDir,
  }
  const files = renderTemplate(request.template.id, values)
  writeSkill(dir, files, request.signal)
  // mkdtemp creates folders that only their owner can access.
  chmodSync(dir, 0o777 & ~process.umask())
  return {
    name: request.name,
    dir,
    shownDir,
    files: [...files.keys()],
    example: request.template.example?.map((argument) => argument.replace('{{dir}}', shownDir)),
  }
}

/** Quotes a name that YAML would read as a number, boolean or null. */
function quoteYamlWord(word: string): string {
  return /^(?:\d.*|true|false|null|yes|no|on|off|y|n)$/.test(word) ? JSON.stringify(word) : word
}

/** Relative path from a folder to a file, in the form that editors resolve. */
export function toRelativeReference(dir: string, file: string): string {
  const path = relative(dir, file).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}
