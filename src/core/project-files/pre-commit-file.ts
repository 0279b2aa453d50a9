import { isMap, isSeq, parse, parseDocument } from 'yaml'
import { COMPLETE, type MergeResult, type ProjectFile } from './project-file.ts'

const HOOK = 'skills-lint'

/** Runs the installed command: a hook from a repository would need a published one. */
const ENTRY = String.raw`- repo: local
  hooks:
    - id: ${HOOK}
      name: skills lint
      entry: skills lint --skip-outside
      language: system
      files: (^|/)(skill\.toml|SKILL\.md|(code|resources|scripts|references|assets)/.*)$
      require_serial: true
`

/** Checks the skills that a commit touches. */
export const PRE_COMMIT_FILE: ProjectFile = {
  path: '.pre-commit-config.yaml',
  aliases: ['.pre-commit-config.yml'],
  purpose: 'pre-commit hook',
  create: () => `# The hook needs "skills" on the PATH.\nrepos:\n${indent(ENTRY, 2)}`,
  merge: mergeHook,
}

function mergeHook(text: string): MergeResult {
  if (new RegExp(String.raw`\bid: *["']?${HOOK}`).test(text)) return COMPLETE
  const after = appendEntry(text)
  if (after !== undefined && hasOnlyNewEntry(text, after)) return { type: 'changed', text: after }
  return {
    type: 'manual',
    advice: `add a hook under "repos" with repo: local, id: ${HOOK}, entry: skills lint --skip-outside, language: system`,
  }
}

/** Inserts the entry after the last repository; the rest of the text is preserved. */
function appendEntry(text: string): string | undefined {
  const document = parseDocument(text)
  const root = document.contents
  if (document.errors.length > 0 || !isMap(root)) return undefined
  const repos = root.get('repos')
  const range = isSeq(repos) && repos.flow !== true ? repos.range : undefined
  if (!range) return undefined
  const column = range[0] - (text.lastIndexOf('\n', range[0] - 1) + 1)
  const head = text.slice(0, range[1])
  const gap = head.endsWith('\n') ? '' : '\n'
  return `${head}${gap}${indent(ENTRY, column)}${text.slice(range[1])}`
}

function hasOnlyNewEntry(before: string, after: string): boolean {
  try {
    const expected = parse(before) as { repos: unknown[] }
    expected.repos.push(...(parse(ENTRY) as unknown[]))
    return JSON.stringify(parse(after)) === JSON.stringify(expected)
  } catch {
    return false
  }
}

function indent(text: string, columns: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(columns))
}
