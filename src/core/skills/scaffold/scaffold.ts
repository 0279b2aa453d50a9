import { chmodSync } from 'node:fs'
import { basename } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { createFiles } from './create-files.ts'
import { createExampleArguments } from './outline/example.ts'
import { SCHEMA_FILE } from './outline/manifest-text.ts'
import type { Outline } from './outline/outline.ts'
import type { TemplateValues } from './render-template.ts'
import { deriveTitle } from './skill-name.ts'
import { resolveTargetFolder, showPath, type TargetRequest } from './target-folder.ts'
import type { Template } from './templates.ts'
import { writeSkill, type SkillFiles } from './write-skill.ts'

/** Complete values of a new skill. */
interface ScaffoldRequest extends Omit<TargetRequest, 'kind'> {
  template: Template
  /** Interface of the skill; the one of the template by default. */
  outline?: Outline | undefined
  description: string
  signal?: AbortSignal
}

/** Result of writing a new skill. */
export interface ScaffoldedSkill {
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

/** Writes a new skill from a built-in template, completely or not at all. */
export function scaffoldSkill(request: ScaffoldRequest): ScaffoldedSkill {
  const { template, outline = template.outline, cwd } = request
  const dir = resolveTargetFolder({ ...request, kind: template.kind })
  const shownDir = showPath(cwd, dir)
  const files = createFiles(template, createValues(request, dir), outline)
  writeFiles(dir, files, request)
  return {
    name: request.name,
    dir,
    shownDir,
    files: [...files.keys()],
    example: template.kind === 'action' ? createExampleArguments(outline, shownDir) : undefined,
  }
}

/** Values of the placeholders for a skill in a folder. */
export function createValues(
  { name, description, cwd }: Pick<ScaffoldRequest, 'name' | 'description' | 'cwd'>,
  dir: string,
): TemplateValues {
  const problem = findDescriptionProblem(description)
  if (problem) {
    throw new SkillsError('usage/invalid', problem, {
      hint: 'Write it as: --description "Greets somebody by name."',
    })
  }
  return {
    name,
    namespace: name.split('.')[0] ?? name,
    folder: quoteYamlWord(basename(dir)),
    title: deriveTitle(name),
    description: description.trim(),
    dir: showPath(cwd, dir),
    schema: `./${SCHEMA_FILE}`,
  }
}

interface WriteRequest extends Pick<ScaffoldRequest, 'formatCommand' | 'signal'> {
  /** Paths of files with the executable bit. */
  executables?: readonly string[]
}

/** Writes the files of a new skill with the permissions of a new folder. */
export function writeFiles(
  dir: string,
  files: SkillFiles,
  { formatCommand, signal, executables }: WriteRequest,
): void {
  writeSkill(dir, files, { signal, formatCommand, executables })
  // mkdtemp creates folders that only their owner can access.
  chmodSync(dir, 0o777 & ~process.umask())
}

/** Quotes a name that YAML would read as a number, boolean or null. */
function quoteYamlWord(word: string): string {
  return /^(?:\d.*|true|false|null|yes|no|on|off|y|n)$/.test(word) ? JSON.stringify(word) : word
}
