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

/** What a new skill is made of; every value known. */
interface ScaffoldRequest {
  cwd: string
  name: string
  template: Template
  description: string
  /** The folder in which the skill's folder is made, relative to cwd. */
  parent: string
  /** How skill.toml names its JSON Schema, given the skill's folder. */
  schemaReference: (dir: string) => string
  signal?: AbortSignal
}

/** A skill that was written. */
interface ScaffoldedSkill {
  name: string
  dir: string
  /** Relative to the folder in which it was asked for. */
  shownDir: string
  files: readonly string[]
  /** Arguments for `skills exec`; undefined for a skill without code. */
  example: readonly string[] | undefined
}

/** The longest description that the Agent Skills format allows. */
const MAX_DESCRIPTION = 1024

/** Fails with a good sentence where a skill of this name cannot be written there. */
export function resolveTargetFolder(
  at: Pick<ScaffoldRequest, 'cwd' | 'name' | 'parent'> & { template?: Template },
): string {
  const isAction = at.template?.kind === 'action'
  const problem = findNameProblem(at.name) ?? (isAction ? findImportProblem(at.name) : undefined)
  if (problem) {
    throw new SkillsError('usage/invalid', problem, {
      hint: suggestCommand(at.name),
      data: { name: at.name },
    })
  }
  const dir = resolve(at.cwd, at.parent, deriveFolderName(at.name))
  checkAbsent(dir)
  return dir
}

function suggestCommand(name: string): string {
  const split = splitNamePath(name)
  if (split) return `Type "skills new ${split.name} --dir ${quoteShellWord(split.dir)}"`
  const better = suggestName(name)
  return better ? `Did you mean "skills new ${better}"?` : 'Type for example: skills new demo.greet'
}

/** What is wrong with a description; undefined where it is good. */
export function findDescriptionProblem(text: string): string | undefined {
  if (text.trim() === '') return 'The description is empty; expected what the skill does and when'
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) {
    return 'The description contains a control character or line end; expected one line'
  }
  if (text.length > MAX_DESCRIPTION) {
    return `The description has ${text.length} characters; expected at most ${MAX_DESCRIPTION}`
  }
  return undefined
}

/** Writes a new skill from a template, whole or not at all. */
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
  // A folder made as a temporary one is for its owner only.
  chmodSync(dir, 0o777 & ~process.umask())
  return {
    name: request.name,
    dir,
    shownDir,
    files: [...files.keys()],
    example: request.template.example?.map((word) => word.replace('{{dir}}', shownDir)),
  }
}

/** A name of letters, digits and hyphens as YAML reads it: as text, never as a number or a truth. */
function quoteYamlWord(word: string): string {
  return /^(?:\d.*|true|false|null|yes|no|on|off|y|n)$/.test(word) ? JSON.stringify(word) : word
}

/** A path from one folder to a file, as an editor resolves it. */
export function toRelativeReference(dir: string, file: string): string {
  const path = relative(dir, file).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}
