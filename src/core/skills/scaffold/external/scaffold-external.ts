import { basename } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { readMarkdown } from '../../manifest/markdown-source.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { toManifest } from '../../manifest/to-manifest.ts'
import { readToml } from '../../manifest/toml-source.ts'
import { createSchemaText } from '../create-files.ts'
import { SCHEMA_FILE } from '../outline/manifest-text.ts'
import { substituteValues, type TemplateValues } from '../render-template.ts'
import { createValues, writeFiles, type ScaffoldedSkill } from '../scaffold.ts'
import { resolveTargetFolder, showPath, type TargetRequest } from '../target-folder.ts'
import { templateError, type TemplateFile } from './template-files.ts'

interface ExternalRequest extends Omit<TargetRequest, 'kind'> {
  /** The value of --template, for messages. */
  shown: string
  files: readonly TemplateFile[]
  /** Undefined if the template has a description of its own. */
  description: string | undefined
  signal?: AbortSignal
}

/** True if a template has a placeholder for the description. */
export function needsDescription(files: readonly TemplateFile[]): boolean {
  return files.some(({ content }) => /\{\{"?description"?\}\}/.test(decodeText(content) ?? ''))
}

/** Writes a new skill from the files of a template, completely or not at all. */
export function scaffoldExternal(
  request: ExternalRequest,
): ScaffoldedSkill & { kind: Manifest['kind'] } {
  const { name, files, shown, cwd } = request
  const dir = resolveTargetFolder(request)
  // A template without the placeholder has its own description.
  const description = request.description ?? 'Description of the template'
  const values = createValues({ name, description, cwd }, dir)
  const rendered = new Map(files.map((file) => [file.path, renderFile(file, values, shown)]))
  const toml = rendered.get('skill.toml')
  if (usesSchema(files) && !rendered.has(SCHEMA_FILE)) rendered.set(SCHEMA_FILE, createSchemaText())
  const manifest = readManifest(toml, rendered.get('SKILL.md'), shown)
  checkName({ manifest, name, folder: basename(dir), hasToml: toml !== undefined, shown })
  resolveTargetFolder({ ...request, kind: manifest.kind })
  const executables = files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path)
  writeFiles(dir, rendered, { ...request, executables })
  const shownDir = showPath(cwd, dir)
  const hasExample = manifest.kind === 'action' && rendered.has('resources/example.json')
  return {
    name,
    dir,
    shownDir,
    kind: manifest.kind,
    files: [...rendered.keys()].sort(),
    example: hasExample ? ['--args', `@${shownDir}/resources/example.json`] : undefined,
  }
}

/** Text with the placeholders replaced; other content unchanged. */
function renderFile(
  { path, content }: TemplateFile,
  values: TemplateValues,
  shown: string,
): string | Uint8Array {
  const text = decodeText(content)
  if (text === undefined) return content
  try {
    return substituteValues(text, { ...values })
  } catch (thrown) {
    const { message, hint } = thrown as SkillsError
    const reason = message.replace(/^The template has/, `"${path}" has`)
    throw new SkillsError('usage/invalid', templateError(shown, reason).message, {
      ...(hint !== undefined && { hint }),
    })
  }
}

function decodeText(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function usesSchema(files: readonly TemplateFile[]): boolean {
  const toml = files.find(({ path }) => path === 'skill.toml')
  return toml !== undefined && (decodeText(toml.content) ?? '').includes('{{schema}}')
}

function readManifest(
  toml: string | Uint8Array | undefined,
  markdown: string | Uint8Array | undefined,
  shown: string,
): Manifest {
  if (toml === undefined && markdown === undefined) {
    throw templateError(shown, 'it has neither a skill.toml nor a SKILL.md')
  }
  const { manifest, problems } = toManifest({
    toml: toml === undefined ? undefined : readToml('skill.toml', String(toml)),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', String(markdown)),
  })
  const [problem] = problems
  if (problem) throw templateError(shown, `${problem.file}: ${problem.message}`)
  return manifest
}

interface NameCheck {
  manifest: Manifest
  name: string
  folder: string
  hasToml: boolean
  shown: string
}

function checkName({ manifest, name, folder, hasToml, shown }: NameCheck): void {
  const expected = hasToml ? name : folder
  if (manifest.name === expected) return
  const place = hasToml ? 'name = {{"name"}} in skill.toml' : 'name: {{folder}} in SKILL.md'
  throw templateError(shown, `it sets the name "${manifest.name}", expected ${place}`)
}
