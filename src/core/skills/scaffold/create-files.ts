import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDocumentText } from './outline/document-text.ts'
import { createPythonInputs } from './outline/editor-types.ts'
import { EXAMPLE_BLOB, listExampleValues } from './outline/example.ts'
import { createJavaScriptText } from './outline/javascript-text.ts'
import { createManifestText, getEntrypoint, SCHEMA_FILE } from './outline/manifest-text.ts'
import { createMessage, MESSAGE_FILE } from './outline/message.ts'
import type { Outline } from './outline/outline.ts'
import { createPythonText } from './outline/python-text.ts'
import { createShellText } from './outline/shell-text.ts'
import { createTestText, TEST_FILE } from './outline/test-text.ts'
import { renderTemplate, substituteValues, type TemplateValues } from './render-template.ts'
import { createSkillSchema } from './skill-schema.ts'
import type { Template } from './templates.ts'
import type { SkillFiles } from './write-skill.ts'

const TEMPLATES_FOLDER = fileURLToPath(new URL('../../../../templates', import.meta.url))

/** Files of a new skill by path, from a built-in template and an outline of its interface. */
export function createFiles(
  template: Template,
  values: TemplateValues,
  outline: Outline = template.outline,
): SkillFiles {
  const isSample = outline === template.outline && template.hasFiles === true
  const files = new Map<string, string | Uint8Array>([
    ['skill.toml', createManifestText(values, template, outline)],
    [SCHEMA_FILE, createSchemaText()],
    ...createEditorFiles(template.language, outline),
  ])
  const content = isSample
    ? renderTemplate(join(TEMPLATES_FOLDER, template.id), values)
    : createContent(template.language ?? '', values, outline)
  for (const [path, text] of content) files.set(path, text)
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Text of the JSON Schema of skill.toml. */
export function createSchemaText(): string {
  return `${JSON.stringify(createSkillSchema(), null, 2)}\n`
}

function createEditorFiles(language: string | undefined, outline: Outline): [string, string][] {
  const read = (name: string) => readFileSync(join(TEMPLATES_FOLDER, 'editor', name), 'utf8')
  switch (language) {
    case 'python': {
      const inputs = createPythonInputs(outline)
      return [['code/runtime.pyi', substituteValues(read('runtime.pyi'), { inputs })]]
    }
    case 'node':
    case 'typescript':
      return [['code/runtime.d.ts', read('runtime.d.ts')]]
    default:
      return []
  }
}

function createContent(
  language: string,
  values: TemplateValues,
  outline: Outline,
): Map<string, string> {
  const examples = listExampleValues(outline)
  const hasBlob = outline.inputs.some(({ type, required }) => type === 'blob' && required)
  const hasExamples = Object.keys(examples).length > 0
  return new Map([
    ['SKILL.md', createDocumentText(values, outline)],
    [getEntrypoint(language), createCode(language, outline)],
    [MESSAGE_FILE, `${createMessage(values.name, outline)}\n`],
    [TEST_FILE, createTestText(values.name, language, outline)],
    ...(hasExamples ? [['resources/example.json', formatExample(examples)] as const] : []),
    ...(hasBlob ? [[EXAMPLE_BLOB, 'the quick brown fox jumps over the lazy dog\n'] as const] : []),
  ])
}

/** One line, such as `{ "name": "World" }`. */
function formatExample(values: Record<string, unknown>): string {
  const members = Object.entries(values).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  )
  return `{ ${members.join(', ')} }\n`
}

function createCode(language: string, outline: Outline): string {
  switch (language) {
    case 'node':
    case 'typescript':
      return createJavaScriptText(outline, language)
    case 'shell':
      return createShellText(outline)
    default:
      return createPythonText(outline)
  }
}
