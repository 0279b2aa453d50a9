import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TEMPLATES_FOLDER = fileURLToPath(new URL('../../../../templates/', import.meta.url))

/** Renders a template's files; returns texts by path. */
export function renderTemplate(
  id: string,
  values: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const path of listFiles(join(TEMPLATES_FOLDER, id))) {
    files.set(path, substituteValues(readFileSync(join(TEMPLATES_FOLDER, id, path), 'utf8'), values))
  }
  return files
}

/**
 * `{{key}}` is the value; `{{"key"}}` is the value as a string that is valid in TOML, YAML and
 * JSON.
 */
function substituteValues(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{("?)(\w+)\1\}\}/g, (_, quote: string, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`A template names the unknown value "${key}"`)
    return quote === '' ? value : JSON.stringify(value)
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
