import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'

/** Values of the placeholders, which docs/templates.md lists. */
export interface TemplateValues {
  name: string
  namespace: string
  /** Folder of the skill, as a word of YAML. */
  folder: string
  title: string
  description: string
  /** Folder of the skill, relative to the working directory. */
  dir: string
  schema: string
}

/** Renders the files of a built-in template; returns texts by path. */
export function renderTemplate(folder: string, values: TemplateValues): Map<string, string> {
  const files = new Map<string, string>()
  for (const path of listFiles(folder)) {
    files.set(path, substituteValues(readFileSync(join(folder, path), 'utf8'), { ...values }))
  }
  return files
}

/**
 * `{{key}}` is the value; `{{"key"}}` is the value as a string that is valid in TOML, YAML and
 * JSON. A backslash before the braces keeps them.
 */
export function substituteValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\\?\{\{("?)(\w+)\1\}\}/g, (match, quote: string, key: string) => {
    if (match.startsWith('\\')) return match.slice(1)
    const value = Object.hasOwn(values, key) ? values[key] : undefined
    if (value === undefined) throw unknownPlaceholderError(key, Object.keys(values))
    return quote === '' ? value : JSON.stringify(value)
  })
}

function unknownPlaceholderError(key: string, known: readonly string[]): SkillsError {
  const list = known.map((each) => `{{${each}}}`).join(', ')
  return new SkillsError('usage/invalid', `The template has the unknown placeholder {{${key}}}`, {
    hint: `Write one of ${list}, or \\{{${key}}} for the text itself`,
    data: { placeholder: key },
  })
}

function listFiles(dir: string, prefix = ''): string[] {
  return readdirSync(join(dir, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = prefix ? `${prefix}/${entry.name}` : entry.name
      if (entry.name === '__pycache__') return []
      return entry.isDirectory() ? listFiles(dir, path) : [path]
    })
}
