import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { LineIndex } from '../../util/line-index.ts'
import { findUnusableExamples } from '../../core/skills/manifest/example-files.ts'
import { findExampleProblems } from '../../core/skills/manifest/examples.ts'
import type { Manifest, SkillExample } from '../../core/skills/manifest/manifest.ts'
import type { TomlSource } from '../../core/skills/manifest/source.ts'
import type { SuiteProblem } from '../../core/testing/document/problems.ts'
import { isBelowRealFolder, isInnerPath } from '../../core/testing/document/skill-path.ts'
import { ERROR } from '../../core/testing/expectations/error.ts'
import type { Expectation } from '../../core/testing/expectations/expectation.ts'
import { RESULT } from '../../core/testing/expectations/result.ts'
import { STATUS } from '../../core/testing/expectations/status.ts'
import type { Suite, TestCase } from '../../core/testing/suites/suite.ts'
import { DOCUMENTED_VALUES } from './documented-values.ts'

/** Reads the examples of skill.toml as cases; undefined without any. */
export function readManifestSuite(
  dir: string,
  toml: TomlSource | undefined,
  manifest: Manifest,
): { suite: Suite; problems: readonly SuiteProblem[] } | undefined {
  const written = toml?.problem ? undefined : toml?.data['examples']
  if (!toml || written === undefined) return undefined
  const file = join(dir, 'skill.toml')
  const lines = new LineIndex(toml.text)
  const found = [
    ...findExampleProblems(written),
    ...findUnusableExamples(manifest, (path) => isSkillFile(dir, path)),
  ]
  const problems = found.map(({ path, what, message, help }): SuiteProblem => {
    const span = toml.locate(['examples', ...path], what)
    return { file, start: lines.positionAt(span.start), span, message, help }
  })
  const cases = (manifest.examples ?? []).map((example): TestCase => {
    const position = lines.positionAt(toml.locate(['examples', example.index], 'key').start)
    return createExampleCase(example, { dir, manifest, position })
  })
  return { suite: { name: 'skill.toml', file, skill: dir, cases }, problems }
}

interface ExampleContext {
  dir: string
  manifest: Manifest
  position: TestCase['position']
}

function createExampleCase(
  example: SkillExample,
  { dir, manifest, position }: ExampleContext,
): TestCase {
  const isBlob = (name: string) =>
    Object.hasOwn(manifest.inputs, name) && manifest.inputs[name]?.type === 'blob'
  const passed = Object.entries(example.args)
  const args = Object.fromEntries(passed.filter(([name]) => !isBlob(name)))
  const blobs = new Map(
    passed.flatMap(([name, path]) =>
      isBlob(name) && typeof path === 'string' ? [[name, join(dir, path)] as const] : [],
    ),
  )
  return {
    ...DOCUMENTED_VALUES,
    name: `example: ${example.description ?? `number ${example.index + 1}`}`,
    position,
    action: { kind: 'skill', args },
    blobs,
    expectations: listExampleExpectations(example, position),
  }
}

function listExampleExpectations(
  { result, error }: SkillExample,
  position: Expectation['position'],
): Expectation[] {
  const expect = (kind: Expectation['kind'], value: unknown): Expectation => {
    return { kind, value, isNegated: false, position }
  }
  if (error !== undefined) return [expect(ERROR, { type: error })]
  const completed = expect(STATUS, 'completed')
  return result === undefined
    ? [completed]
    : [completed, expect(RESULT, { equals: { value: result } })]
}

/** True for a regular file below the folder; links out of the skill are not followed. */
export function isSkillFile(dir: string, path: string): boolean {
  if (!isInnerPath(path)) return false
  const file = join(dir, path)
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  return isFile && isBelowRealFolder(dir, file)
}
