import { readNpmLock } from '../../../skills/dependencies/npm/lock-file.ts'
import { getPackageName, hasPackage } from '../../code/node-packages.ts'
import { listParsedCode } from '../../code/code-files.ts'
import type { LintedSkill, ReportFinding, Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'
import { STANDARD_MODULES } from '../../python/standard-modules.ts'

export const UNKNOWN_IMPORT: Rule = {
  id: 'entrypoint/unknown-import',
  severity: 'warning',
  what: "The code imports a package that is neither in the language's standard library nor in the skill",
  why: 'A run imports only what the skill pins; the packages of the machine are visible only with --host-packages.',
  example: {
    bad: {
      'code/main.py':
        'import pandas\n\n\ndef main(args):\n    return {"rows": len(pandas.read_csv(args["who"]))}\n',
    },
    good: {},
  },
  fix: 'Use the standard library, pin the package with "skills deps add", ship the module in code/, or suppress the rule if the skill always runs with --host-packages.',
  needsPython: true,
  check(skill, report) {
    checkPackages(skill, report)
    const locked = readLockedNames(skill)
    const own = listOwnModules(skill)
    for (const { file, facts } of listParsedPython(skill)) {
      if (!file.startsWith(getCodeFolder(skill))) continue
      const seen = new Set<string>()
      for (const { module, level, span } of facts.imports) {
        const top = module.split('.')[0] as string
        if (
          level > 0 ||
          top === '' ||
          seen.has(top) ||
          own.has(top) ||
          STANDARD_MODULES.has(top) ||
          locked?.(top) === true
        )
          continue
        seen.add(top)
        report({
          file,
          span,
          message: `"${top}" is neither in Python's standard library nor in the skill`,
          help: `Pin it in the lock file that dependencies.python in skill.toml names, or ship it in ${getCodeFolder(skill) || 'the skill'}`,
        })
      }
    }
  },
}

/** Packages of JavaScript: only those that package.json declares are found by their names. */
function checkPackages(skill: LintedSkill, report: ReportFinding): void {
  const lock = skill.manifest.dependencies?.node
  const text = lock === undefined ? undefined : skill.read(lock)
  const pinned = text === undefined ? undefined : readNpmLock(text).lock.direct
  for (const { file, facts } of listParsedCode(skill)) {
    const seen = new Set<string>()
    for (const { specifier, isOptional, span } of facts.imports) {
      const name = getPackageName(specifier)
      if (name === undefined || isOptional || seen.has(name) || pinned?.has(name)) continue
      if (hasPackage(skill, file, name)) continue
      seen.add(name)
      report({
        file,
        span,
        message: `"${name}" is neither a module of Node nor a package in the skill`,
        help: `Type "skills deps add <skill> ${name}" to pin it, or use a module of Node`,
      })
    }
  }
}

/** Packages whose modules have another name. */
const PACKAGES: Readonly<Record<string, string>> = {
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  fitz: 'pymupdf',
  PIL: 'pillow',
  pptx: 'python-pptx',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
}

/** Tells whether a package of the lock file may have a module; undefined without a lock file. */
function readLockedNames(skill: LintedSkill): ((top: string) => boolean) | undefined {
  const lock = skill.manifest.dependencies?.python
  const text = lock === undefined ? undefined : skill.read(lock)
  if (text === undefined) return lock === undefined ? undefined : () => true
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_.]/g, '')
  const names = [...text.matchAll(/^([A-Za-z][\w.-]*)\s*==/gm)].map(([, name = '']) => plain(name))
  return (top) =>
    names.some((name) => {
      const module = plain(PACKAGES[top] ?? top)
      return name.includes(module) || module.includes(name)
    })
}

function getCodeFolder(skill: LintedSkill): string {
  const folder = skill.manifest.runtime?.entrypoint.split('/').slice(0, -1).join('/')
  return folder ? `${folder}/` : ''
}

function listOwnModules(skill: LintedSkill): Set<string> {
  const prefix = getCodeFolder(skill)
  const own = new Set(['runtime', 'skills', '__future__'])
  for (const { path, type } of skill.files) {
    if (!path.startsWith(prefix)) continue
    const [first = '', ...rest] = path.slice(prefix.length).split('/')
    if (rest.length === 0 && type === 'file' && first.endsWith('.py')) own.add(first.slice(0, -3))
    else if (type === 'directory' || rest.length > 0) own.add(first)
  }
  return own
}
