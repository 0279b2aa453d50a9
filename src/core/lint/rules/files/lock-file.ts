import { readLock } from '../../../skills/dependencies/lock-file.ts'
import { readNpmLock } from '../../../skills/dependencies/npm/lock-file.ts'
import { findPathProblem } from '../../../skills/repository/contained-file.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import type { LintedSkill, ReportFinding, Rule } from '../../rule.ts'
import { findFile, locateInToml, quoteValue } from '../../skill-facts.ts'

const MANIFEST_WITH_LOCK = createExampleToml(
  {},
  `${EXAMPLE_TABLES}\n[dependencies]\npython = "python.lock"\n`,
)
const HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export const LOCK_FILE: Rule = {
  id: 'files/lock-file',
  severity: 'error',
  what: 'A lock file of dependencies is missing, or does not pin every package by version and hash',
  why: 'Only pinned packages are the same everywhere; nothing is installed from an incomplete lock file.',
  example: {
    bad: { 'skill.toml': MANIFEST_WITH_LOCK, 'python.lock': 'tabulate>=0.9\n' },
    good: {
      'skill.toml': MANIFEST_WITH_LOCK,
      'python.lock': `tabulate==0.9.0 --hash=sha256:${HASH}\n`,
    },
  },
  fix: 'For Python, write one line per package, name==version --hash=sha256:..., as "pip-compile --generate-hashes" does; for Node, a package-lock.json. "skills deps lock" writes both.',
  check(skill, report) {
    const { python, node } = skill.manifest.dependencies ?? {}
    if (python !== undefined) checkLock(skill, report, { key: 'python', path: python })
    if (node !== undefined) checkLock(skill, report, { key: 'node', path: node })
  },
}

const LANGUAGES = {
  python: {
    readProblems: (text: string) => readLock(text).problems,
    help: 'Pin a version and its hashes',
  },
  node: {
    readProblems: (text: string) => readNpmLock(text).problems,
    help: 'Type "skills deps lock" to write the lock file again',
  },
} as const

function checkLock(
  skill: LintedSkill,
  report: ReportFinding,
  { key, path }: { key: keyof typeof LANGUAGES; path: string },
): void {
  const { readProblems, help } = LANGUAGES[key]
  const problem = findPathProblem(path)
  const file = findFile(skill, path)
  const isThere = file !== undefined && file.type !== 'directory'
  if (problem !== undefined || (!isThere && !skill.filesCut)) {
    report({
      ...locateInToml(skill, ['dependencies', key]),
      message: `The lock file ${quoteValue(path)} ${problem === undefined ? 'does not exist' : `is not valid: ${problem}`}`,
      help: 'Use the path of a file in the skill',
    })
    return
  }
  // Dangling links, links out of the skill, pipes and other special files have rules of their
  // own.
  if (file?.type !== 'file') return
  const text = skill.read(file.path)
  if (text === undefined) {
    const message = `"${file.path}" is not a UTF-8 text file of at most 1 MiB`
    report({ file: file.path, message, help })
    return
  }
  for (const { start, end, message } of readProblems(text)) {
    report({ file: file.path, span: { start, end }, message, help })
  }
}
