import type { LintedSkill } from '../rule.ts'
import { isVendored } from '../vendored.ts'
import type { CodeFacts, ParsedLanguage } from './code-facts.ts'
import { findParsedLanguage, type CodeParsers } from './code-parsers.ts'

/** Limit on parsed files per skill. */
export const MAX_CODE_FILES = 200

interface CodeFile {
  path: string
  language: ParsedLanguage
}

/** Languages whose parsers a skill needs. */
export function listCodeLanguages(skill: LintedSkill): ParsedLanguage[] {
  return listCodeFiles(skill).map(({ language }) => language)
}

/** Parses the code of a skill; nothing is executed. */
export function parseCodeFiles(skill: LintedSkill, parsers: CodeParsers) {
  const facts = new Map<string, CodeFacts>()
  const failures: { path: string; reason: string }[] = []
  for (const { path, language } of listCodeFiles(skill)) {
    const text = skill.read(path)
    if (text === undefined || text.includes('\0') || isOtherLanguage(language, text)) continue
    const parsed = parsers.parse(language, path, text)
    if ('failure' in parsed) {
      failures.push({ path, reason: `the ${TITLES[language]} parser failed: ${parsed.failure}` })
    } else facts.set(path, parsed)
  }
  return { facts, failures }
}

export const TITLES: Readonly<Record<ParsedLanguage, string>> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  shell: 'Bash',
}

/** Lists code that a run or a reader of SKILL.md executes, not files that are data or templates. */
function listCodeFiles(skill: LintedSkill): CodeFile[] {
  const own = LANGUAGES[skill.manifest.runtime?.language ?? '']
  const folder = getCodeFolder(skill)
  const files: CodeFile[] = []
  for (const file of skill.files) {
    const language = findParsedLanguage(file)
    if (!language || isVendored(file.path)) continue
    if (skill.isDetached || isCodePath(file.path, folder) || own?.includes(language)) {
      files.push({ path: file.path, language })
    }
    if (files.length === MAX_CODE_FILES) break
  }
  return files
}

function isCodePath(path: string, folder: string): boolean {
  return /^(?:code|scripts)\//.test(path) || (folder !== '' && path.startsWith(folder))
}

/** Languages of files that a skill of a language consists of. */
const LANGUAGES: Readonly<Record<string, readonly ParsedLanguage[]>> = {
  node: ['javascript', 'typescript'],
  typescript: ['typescript', 'javascript'],
  shell: ['shell'],
}

/** Folder of the entrypoint with a final slash; empty for the skill's own folder. */
function getCodeFolder({ manifest }: LintedSkill): string {
  const folder = manifest.runtime?.entrypoint.split('/').slice(0, -1).join('/')
  return folder ? `${folder}/` : ''
}

/** True if the first line names an interpreter of another language. */
function isOtherLanguage(language: ParsedLanguage, text: string): boolean {
  const first = /^#!([^\n]*)/.exec(text)?.[1]
  if (first === undefined || language !== 'shell') return false
  return !/\b(?:ba|da|a)?sh\b/.test(first)
}

/** Files whose facts tell how a run behaves: those of the manifest's language. */
export function listParsedCode(skill: LintedSkill): { file: string; facts: CodeFacts }[] {
  const own = LANGUAGES[skill.manifest.runtime?.language ?? '']
  if (!own) return []
  return skill.files.flatMap(({ path }) => {
    const facts = skill.getCodeFacts(path)
    return facts && !facts.problem && own.includes(facts.language) ? [{ file: path, facts }] : []
  })
}
