import { reportOnce } from '../../report-once.ts'
import { quoteShellWord } from '../../../../util/shell-word.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'
import type { RawFinding, LintedSkill, Rule } from '../../rule.ts'

export const MISSING_EXECUTABLE_BIT: Rule = {
  id: 'hygiene/missing-executable-bit',
  severity: 'info',
  what: 'SKILL.md calls a script that is not executable',
  why: 'A call by its path fails with "Permission denied".',
  example: {
    bad: {
      'SKILL.md': extendExampleBody('Run `./scripts/run.sh`.\n'),
      'scripts/run.sh': '#!/bin/sh\necho hello\n',
    },
    good: {
      'SKILL.md': extendExampleBody('Run `./scripts/run.sh`.\n'),
      'scripts/run.sh': { content: '#!/bin/sh\necho hello\n', mode: 0o755 },
    },
  },
  fix: 'Set the executable bit: chmod +x.',
  fixable: 'safe',
  check(skill, report) {
    const found: RawFinding[] = []
    for (const { path, type, mode } of skill.files) {
      if (
        type !== 'file' ||
        (mode & 0o100) !== 0 ||
        !isCalledDirectly(skill, path) ||
        !skill.read(path)?.startsWith('#!')
      )
        continue
      found.push({
        file: path,
        span: { start: 0, end: 2 },
        message: `"${path}" has a "#!" line but is not executable`,
        help: `Run: chmod +x -- ${quoteShellWord(path)}`,
        edits: [{ kind: 'chmod', file: path, mode: mode | 0o111 }],
      })
    }
    reportOnce(report, found)
  },
}

/** True if a line of SKILL.md begins with the path, as a command does. */
function isCalledDirectly({ markdown }: LintedSkill, path: string): boolean {
  if (!markdown?.text.includes(path)) return false
  const { code, inlineCode } = scanMarkdown(markdown)
  const lines = code.flatMap(({ language, text }) =>
    /^(?:|sh|bash|shell|console|zsh)$/i.test(language) ? text.split('\n') : [],
  )
  return [...lines, ...inlineCode.map(({ text }) => text)].some((line) => {
    const [, command = ''] = /^\s*(?:\$ )?(\S+)/.exec(line) ?? []
    return command === `./${path}` || (command === path && /\s/.test(line.trim()))
  })
}
