import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Cassette } from './cassette.ts'
import { MIN_SECRET_LENGTH } from './placeholders.ts'
import { readCassette } from './read-cassette.ts'
import type { SuiteProblem } from '../document/problems.ts'
import { isBelowRealFolder } from '../document/skill-path.ts'
import { getSuiteFolder, nameCaseFiles } from '../suites/sibling-files.ts'
import type { Suite, TestCase } from '../suites/suite.ts'

/** Ending of the cassettes that are named like their cases. */
export const CASSETTE_EXTENSION = '.cassette.toml'

/** The cassette of a case. */
export interface CaseCassette {
  file: string
  /** Undefined if there is none yet, which is allowed only for a recording. */
  cassette: Cassette | undefined
}

/** Finds the cassettes of the cases of a suite, by the key `cassette` or by their names. */
export function findCassettes(
  suite: Suite,
  isRecording: boolean,
): { cassettes: Map<TestCase, CaseCassette>; problems: SuiteProblem[] } {
  const cassettes = new Map<TestCase, CaseCassette>()
  const problems: SuiteProblem[] = []
  const owners = new Map<string, TestCase>()
  for (const testCase of suite.cases) {
    const file = selectFile(suite, testCase)
    if (file === undefined) continue
    const owner = owners.get(file)
    owners.set(file, testCase)
    const name = relative(dirname(suite.file), file)
    const refuse = (message: string, help: string) =>
      problems.push({ ...locate(suite, testCase), message, help })
    if (owner && isRecording) {
      const message = `The cases "${owner.name}" and "${testCase.name}" both record ${name}`
      refuse(message, 'Give each a cassette of its own: cassette = true')
    }
    const short = [...testCase.secrets].find(([, value]) => value.length < MIN_SECRET_LENGTH)
    if (short) {
      const message = `The secret ${short[0]} of a case with a cassette has fewer than ${MIN_SECRET_LENGTH} characters`
      refuse(message, 'Write a longer fake, because it is replaced wherever it is sent')
    }
    if (!isBelowRealFolder(suite.skill, file)) {
      refuse(
        `The cassette ${name} leads out of the skill`,
        'Replace the link by a folder or a file',
      )
    } else if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) {
      const read = readCassette(file)
      problems.push(...read.problems)
      cassettes.set(testCase, { file, cassette: read.cassette })
    } else if (isRecording) cassettes.set(testCase, { file, cassette: undefined })
    else {
      refuse(`The cassette ${name} does not exist`, 'Type "skills test --record" to record it')
    }
  }
  problems.push(...findUnused(suite, owners))
  return { cassettes, problems }
}

function selectFile(suite: Suite, testCase: TestCase): string | undefined {
  const { cassette, name } = testCase
  if (typeof cassette === 'string') return resolve(dirname(suite.file), cassette)
  const file = join(getSuiteFolder(suite.file), `${nameCaseFiles(name)}${CASSETTE_EXTENSION}`)
  return cassette === true || existsSync(file) ? file : undefined
}

/** Finds cassettes whose case was renamed or deleted. */
function findUnused(suite: Suite, used: ReadonlyMap<string, TestCase>): SuiteProblem[] {
  const folder = getSuiteFolder(suite.file)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(CASSETTE_EXTENSION) && !used.has(join(folder, name)))
    .map((name) => ({
      file: suite.file,
      start: { line: 1, column: 1 },
      span: { start: 0, end: 0 },
      message: `The cassette ${basename(folder)}/${name} belongs to no case`,
      help: 'Rename it like its case, or delete it',
    }))
}

function locate(suite: Suite, { position }: TestCase): Omit<SuiteProblem, 'message' | 'help'> {
  return { file: suite.file, start: position, span: { start: 0, end: 0 } }
}
