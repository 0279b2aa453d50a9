import { LineIndex } from '../../util/line-index.ts'
import { memoize } from '../../util/memoize.ts'
import { MAX_CODE_FILES } from '../lint/code/code-files.ts'
import { findParsedLanguage, openCodeParsers } from '../lint/code/code-parsers.ts'
import { loadSkills, MAX_PYTHON_FILES } from '../lint/load-skill.ts'
import { openPythonParser } from '../lint/python/python-parser.ts'
import type { LintedSkill } from '../lint/rule.ts'
import { isVendored } from '../lint/vendored.ts'
import type { Span } from '../skills/manifest/source.ts'
import type { DifferencePlace } from './difference.ts'
import type { ContentSnapshot } from './snapshots/snapshot.ts'
import { toSkillSource } from './snapshots/snapshot-source.ts'

/** One of the two skills of a comparison: its files, and the facts that parsers found in them. */
export interface ComparedSide {
  side: 'before' | 'after'
  snapshot: ContentSnapshot
  skill: LintedSkill
}

export interface ParserOptions {
  /** Interpreter that parses Python; `python3` on PATH if absent. */
  python: string | undefined
  env: Readonly<Record<string, string | undefined>>
}

/** Parses the code of two snapshots; nothing is executed. */
export async function loadSides(
  before: ContentSnapshot,
  after: ContentSnapshot,
  options: ParserOptions,
): Promise<{ before: ComparedSide; after: ComparedSide; omissions: string[] }> {
  const python = openPythonParser(options)
  try {
    const targets = [
      // Two names that differ: facts are found by folder and path.
      {
        dir: `/before/${before.folder}`,
        source: toSkillSource(before, `/before/${before.folder}`),
      },
      { dir: `/after/${after.folder}`, source: toSkillSource(after, `/after/${after.folder}`) },
    ]
    const [first, second] = await loadSkills(targets, {
      python,
      code: openCodeParsers(),
      profiles: [],
      requestedProfiles: [],
      roots: [],
      toPrintedPath: (path) => path.replace(/^\/(?:before|after)\/[^/]*\//, ''),
    })
    if (!first || !second || !('skill' in first) || !('skill' in second)) {
      throw new TypeError('Expected two loaded skills')
    }
    const omissions = [...first.failures, ...second.failures].map(({ message }) => message)
    if (first.pythonMissing || second.pythonMissing) {
      omissions.push(`Python code was not parsed: ${python.unavailableReason ?? 'unknown reason'}`)
    }
    omissions.push(...[first, second].flatMap(({ skill }) => describeUnparsed(skill)))
    return {
      before: { side: 'before', snapshot: before, skill: first.skill },
      after: { side: 'after', snapshot: after, skill: second.skill },
      omissions: [...new Set(omissions)],
    }
  } finally {
    await python.close()
  }
}

/** Many files could hide the code of the ones that come last. */
function describeUnparsed({ folder, files }: LintedSkill): string[] {
  const plain = files.filter(({ type }) => type === 'file')
  const python = plain.filter(({ path }) => path.endsWith('.py'))
  const others = plain.filter((file) => findParsedLanguage(file) && !isVendored(file.path))
  const count =
    Math.max(0, python.length - MAX_PYTHON_FILES) + Math.max(0, others.length - MAX_CODE_FILES)
  if (count === 0) return []
  return [`Code of "${folder}" was not parsed: ${count} files above the limit`]
}

const indexLines: (side: ComparedSide) => (path: string) => LineIndex = memoize(({ skill }) => {
  const indexes = new Map<string, LineIndex>()
  return (path) => {
    const index = indexes.get(path) ?? new LineIndex(skill.read(path) ?? '')
    indexes.set(path, index)
    return index
  }
})

/** The place of a span in a file of a side. */
export function locate(side: ComparedSide, path: string, span?: Span): DifferencePlace {
  if (!span || !side.skill.read(path)) return { side: side.side, path }
  const lines = indexLines(side)(path)
  return {
    side: side.side,
    path,
    start: lines.positionAt(span.start),
    end: lines.positionAt(span.end),
  }
}

/** The place of a key or an element in skill.toml. */
export function locateInManifest(
  side: ComparedSide,
  path: readonly (string | number)[],
): DifferencePlace {
  const { toml, markdown } = side.skill
  if (toml && !toml.problem) return locate(side, 'skill.toml', toml.locate(path))
  if (markdown) return locate(side, 'SKILL.md', markdown.frontMatter.locate(path))
  return { side: side.side, path: toml ? 'skill.toml' : 'SKILL.md' }
}
