import { expect } from 'vitest'
import { createFolder } from '../../../helpers/skills.ts'
import { copyTree } from './disk-steps.ts'
import {
  findHalfInstalled,
  listFiles,
  listLeftovers,
  listVisible,
  recordSteps,
  runAt,
} from './interruption.ts'
import type { Scenario } from './scenarios.ts'

/** A command that was not interrupted. */
export interface CompletedCommand {
  /** Folder before the command. */
  base: string
  /** Skills that agents see. */
  before: Record<string, string>
  after: Record<string, string>
  /** Files after the command. */
  files: readonly string[]
}

/** The states at each step of a command. */
export interface RecordedCommand extends CompletedCommand {
  /** Folder of the states, by step. */
  record: string
  steps: readonly string[]
}

/** Runs a command in a copy of the base folder. */
export async function completeCommand(base: string, scenario: Scenario): Promise<CompletedCommand> {
  const done = createFolder()
  copyTree(base, done)
  const { code } = await runAt(done, ...scenario.command.split(' '))
  expect([scenario.name, code]).toEqual([scenario.name, scenario.exit ?? 0])
  const [before, after] = [await listVisible(base), await listVisible(done)]
  return { base, before, after, files: listFiles(done) }
}

/** Runs a command in a copy of the base folder, and records each step. */
export async function recordCommand(base: string, scenario: Scenario): Promise<RecordedCommand> {
  const completed = await completeCommand(base, scenario)
  const [done, record] = [createFolder(), createFolder()]
  copyTree(base, done)
  const { steps, code } = await recordSteps(done, record, scenario.command.split(' '))
  expect([code, listFiles(done)]).toEqual([scenario.exit ?? 0, completed.files])
  return { ...completed, record, steps }
}

/**
 * Checks a state that an interrupted command left: no skill is there by half, the next command recovers,
 * and the repeated command has the same result as one that was not interrupted. Returns the problems.
 */
export async function findRecoveryProblems(
  at: string,
  { command, exit = 0, again = exit, next = 'install' }: Scenario,
  { before, after, files }: CompletedCommand,
): Promise<string[]> {
  const problems: string[] = []
  const checkVisible = async (when: string) => {
    const half = await findHalfInstalled(at, [before, after])
    problems.push(...half.map((each) => `${when}: ${each}`))
  }
  const run = async (line: string, ...codes: readonly number[]) => {
    const { code, stdout, stderr } = await runAt(at, ...line.split(' '))
    const isSentence = !/unexpected|^\s+at /m.test(stderr)
    if (!codes.includes(code) || !isSentence) problems.push(`${line}: ${code} ${stdout} ${stderr}`)
  }
  const isRoot = next.startsWith('list')
  const verify = isRoot ? 'roots list' : 'verify'
  await checkVisible('interrupted')
  await run(verify, 0, 1)
  await run(next, 0, isRoot ? 2 : 3)
  await checkVisible('after the next command')
  await run(verify, 0, isRoot ? 1 : 0)
  await run(command, exit, again)
  await run(verify, 0, isRoot ? 1 : 0)
  const found = listFiles(at)
  problems.push(
    ...found.filter((each) => !files.includes(each)).map((each) => `extra ${each}`),
    ...files.filter((each) => !found.includes(each)).map((each) => `lost ${each}`),
    ...listLeftovers(at).map((each) => `leftover ${each}`),
  )
  return problems
}
