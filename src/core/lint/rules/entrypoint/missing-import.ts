import { posix } from 'node:path'
import { findNearest } from '../../../../util/find-nearest.ts'
import type { CodeImport } from '../../code/code-facts.ts'
import { hasPath } from '../../code/node-packages.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { listParsedCode } from '../../code/code-files.ts'
import type { PythonFacts } from '../../python/facts.ts'
import type { LintedSkill, RawFinding, Rule } from '../../rule.ts'
import { listParsedPython } from '../../skill-facts.ts'

const NODE_MANIFEST = createExampleToml(
  {},
  EXAMPLE_TABLES.replace('"python"', '"node"').replace('main.py', 'main.js'),
)
const HELPER = 'export const greet = (who) => `Hello, ${who}`\n'

export const MISSING_IMPORT: Rule = {
  id: 'entrypoint/missing-import',
  severity: 'error',
  what: 'An import names a file that does not exist, or a name that the file does not export',
  why: 'Loading the file fails, and with it every call.',
  example: {
    bad: {
      'skill.toml': NODE_MANIFEST,
      'code/main.js':
        "import { greet } from './helper'\n\nexport function main(args) {\n  return greet(args.who)\n}\n",
      'code/helper.js': HELPER,
    },
    good: {
      'skill.toml': NODE_MANIFEST,
      'code/main.js':
        "import { greet } from './helper.js'\n\nexport function main(args) {\n  return greet(args.who)\n}\n",
      'code/helper.js': HELPER,
    },
  },
  fix: 'Correct the path. An import of JavaScript needs the extension of the file.',
  needsPython: true,
  check(skill, report) {
    for (const finding of findMissingNames(skill)) report(finding)
    for (const { path: file } of skill.files) {
      for (const each of skill.getCodeFacts(file)?.imports ?? []) {
        if (each.isOptional || !/^\.{1,2}(?:\/|$)/.test(each.specifier)) continue
        const target = posix.join(posix.dirname(file), stripQuery(each.specifier))
        const isFound = (path: string) => hasPath(skill, path)
        if (listCandidates(skill, { file, each, target }).some(isFound)) continue
        if (skill.manifest.runtime || !mayExistElsewhere(target)) {
          report(describeMissing(skill, { file, each, target }))
        }
      }
    }
  },
}

/** Modules of Node whose names are known without loading code of others. */
const BUILTINS =
  /^(?:node:)?(?:fs|fs\/promises|path|os|crypto|url|util|child_process|events|stream|zlib|buffer|readline|timers\/promises)$/

/** Names that are taken from a file or from a module of Node, and that it does not have. */
function findMissingNames(skill: LintedSkill): RawFinding[] {
  const python = listParsedPython(skill).flatMap(({ file, facts }) =>
    facts.imports.map(({ module, name, level, span }) => {
      const path = `${posix.join(posix.dirname(file), module.replaceAll('.', '/'))}.py`
      const found =
        level === 0 && name !== null && name !== '*' ? skill.getPythonFacts(path) : undefined
      const known = found && !found.problem ? listPythonNames(found) : undefined
      return { file, specifier: module, known, names: name === null ? [] : [{ name, span }] }
    }),
  )
  const code = listParsedCode(skill).flatMap(({ file, facts }) =>
    facts.imports.map(({ specifier, names = [] }) => {
      const target = posix.join(posix.dirname(file), stripQuery(specifier))
      const known = BUILTINS.test(specifier)
        ? Object.keys(process.getBuiltinModule(specifier) ?? {})
        : specifier.startsWith('.')
          ? skill.getCodeFacts(target)?.exports
          : undefined
      return { file, specifier, known: known && [...known, 'default'], names }
    }),
  )
  return [...python, ...code].flatMap(({ file, specifier, known, names }) =>
    names
      .filter(({ name }) => known?.includes(name) === false)
      .map(({ name, span }) => {
        const guess = findNearest(name, known ?? [])
        const help = guess ? `Did you mean "${guess}"?` : 'Correct the name, or define it'
        return { file, span, message: `"${specifier}" does not have "${name}"`, help }
      }),
  )
}

/** Undefined if the file defines names in a way that its text does not show. */
function listPythonNames({ functions, names, imports, calls }: PythonFacts): string[] | undefined {
  const isDynamic =
    imports.some(({ name }) => name === '*') ||
    functions.some(({ name }) => name === '__getattr__') ||
    calls.some(({ name }) => /^(?:globals|exec|setattr)$/.test(name))
  return isDynamic ? undefined : [...functions.map(({ name }) => name), ...Object.keys(names)]
}

/** True if the file may be made by a build, or may belong to the program around a plain skill. */
function mayExistElsewhere(target: string): boolean {
  return target.startsWith('..') || /(?:^|\/)(?:dist|build|lib|generated)\//.test(target)
}

/** An import of a file, and the path in the skill that it names. */
interface FileImport {
  file: string
  each: CodeImport
  target: string
}

function describeMissing(skill: LintedSkill, { file, each, target }: FileImport): RawFinding {
  const leaves = target.startsWith('..')
  const guess = leaves ? undefined : findExisting(skill, target)
  return {
    file,
    span: each.span,
    message: leaves
      ? `"${each.specifier}" is outside of the skill, expected a file inside it`
      : `"${each.specifier}" does not exist in the skill`,
    help: guess
      ? `Did you mean "${toSpecifier(file, guess)}"?`
      : 'Add the file, or correct the path',
    // A plain skill has no entrypoint that certainly fails.
    ...(!skill.manifest.runtime && { severity: 'warning' }),
  }
}

function stripQuery(specifier: string): string {
  return specifier.replace(/[?#].*$/s, '')
}

const SEARCHED = ['.js', '.json', '.node', '/index.js', '/index.json', '/package.json']
const COMPILED = ['.ts', '.tsx', '.mts', '.cts', '.jsx', '.mjs', '.cjs', '/index.ts', '/index.tsx']

/** Paths under which an import is found: `require`, compilers and runs of TypeScript add extensions. */
function listCandidates(skill: LintedSkill, { file, each: { by }, target }: FileImport): string[] {
  if (by === 'source') return [target]
  const searched = [target, ...SEARCHED.map((extension) => target + extension)]
  const isTyped = /\.[cm]?tsx?$/.test(file)
  if (skill.manifest.runtime && !isTyped) return by === 'require' ? searched : [target]
  const stem = target.replace(/\.[cm]?jsx?$/, '')
  return [...searched, ...COMPILED.flatMap((extension) => [target + extension, stem + extension])]
}

function findExisting(skill: LintedSkill, target: string): string | undefined {
  const stem = target.replace(/\.[cm]?[jt]s$/, '')
  const files = skill.files.filter(({ type }) => type === 'file').map(({ path }) => path)
  const same = [...SEARCHED, ...COMPILED].map((extension) => stem + extension)
  return same.find((path) => files.includes(path)) ?? findNearest(target, files)
}

function toSpecifier(file: string, path: string): string {
  const specifier = posix.relative(posix.dirname(file), path)
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}
