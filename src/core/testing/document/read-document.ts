import { readToml } from '../../skills/manifest/toml-source.ts'
import type { SuiteDocument } from './suite-document.ts'
import { readYamlDocument } from './yaml-document.ts'

/** Longer files are refused before they are parsed. */
const MAX_LENGTH = 1024 * 1024

/** Parses a file of cases in the format of its extension. Nothing in it is executed. */
export function readDocument(file: string, text: string): SuiteDocument {
  if (text.length > MAX_LENGTH) {
    const message = `The file has ${text.length} characters, expected at most ${MAX_LENGTH}`
    const start = { start: 0, end: 0 }
    return { text, data: {}, problem: { message, span: start }, locate: () => start }
  }
  return file.endsWith('.toml') ? readToml(file, text) : readYamlDocument(text)
}
