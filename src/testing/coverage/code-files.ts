import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { TESTS_FOLDER } from '../../core/testing/suites/find-suites.ts'

/** A file whose lines are counted. */
export interface CountedFile {
  path: string
  language: 'python' | 'javascript'
  text: string
}

const LANGUAGES = [
  { language: 'python', extension: /\.py$/ },
  { language: 'javascript', extension: /\.(?:[cm]?[jt]s)$/ },
] as const
const LEFT_OUT = new Set([TESTS_FOLDER, 'node_modules', '__pycache__'])
const MAX_FILES = 2000
const MAX_BYTES = 1024 * 1024

/** Reads the code of a skill: regular files, without tests, packages and hidden folders. */
export function readCodeFiles(skill: string): CountedFile[] {
  return listCountedFiles(skill, skill)
    .slice(0, MAX_FILES)
    .flatMap((path) => {
      const found = LANGUAGES.find(({ extension }) => extension.test(path))
      if (!found || path.endsWith('.d.ts')) return []
      const file = join(skill, path)
      if (lstatSync(file).size > MAX_BYTES) return []
      return [{ path, language: found.language, text: readFileSync(file, 'utf8') }]
    })
}

function listCountedFiles(skill: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !LEFT_OUT.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return listCountedFiles(skill, path)
      return entry.isFile() ? [relative(skill, path).split(sep).join('/')] : []
    })
}
