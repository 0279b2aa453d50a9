import { hash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeArchive } from '../../../../src/core/packing/formats.ts'
import {
  createFolder,
  runSkills,
  type CliInvocation,
  type CliResult,
  type Tree,
} from '../../../helpers/skills.ts'

/** An empty project, and a home folder. */
export interface HostileProject {
  cwd: string
  home: string
  env: Record<string, string>
  run(line: string, at?: CliInvocation): Promise<CliResult>
  /** Runs a command that must succeed. */
  succeed(line: string): Promise<void>
}

/** A command that is refused, and its control: the same without the fault succeeds. */
export interface InstallAttack {
  name: string
  /** A part of the sentence. */
  says: string
  /** Prepares the project, with or without the fault; returns the command. */
  prepare(project: HostileProject, isHostile: boolean): Promise<string> | string
  /** Describes the control, if other attacks of the table have the same one. It is tested once. */
  control?: string
  /** Waits for a consent in a folder that no agent reads. */
  isPending?: boolean
}

export function createHostileProject(): HostileProject {
  const [cwd, home] = [createFolder({ 'skills.config.toml': '' }), createFolder()]
  const env: Record<string, string> = { HOME: home }
  const run = async (line: string, at: CliInvocation = {}) =>
    await runSkills(line.split(' '), { cwd, env, columns: 100_000, trusts: true, ...at })
  const succeed = async (line: string) => {
    const { code, stdout, stderr } = await run(line)
    expect([line, code, code === 0 ? '' : stdout + stderr]).toEqual([line, 0, ''])
  }
  return { cwd, home, env, run, succeed }
}

/** Files of locks and drafts. */
const PASSING =
  /\.skills-install(?:$|\/(?!pending\/))|\/roots\/(?:\.staged|lock\.\d+|free|[^/]*\/stamp)/

/** The files of a project and of the user that agents could read, with their digests. */
export function listProjectFiles({ cwd, home }: HostileProject): string[] {
  const folders = [cwd, ...['.agents', '.claude', '.local'].map((name) => join(home, name))]
  return folders
    .filter((each) => existsSync(each))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => !PASSING.test(path))
        .flatMap((path) => describeFile(join(folder, path)))
        .sort(),
    )
}

function describeFile(path: string): string | [] {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return `${path} -> ${readlinkSync(path)}`
  return stat.isFile() ? `${path} ${hash('sha256', readFileSync(path))}` : []
}

/** Control characters, and those that hide or reorder text. */
// eslint-disable-next-line no-control-regex -- they must not reach a terminal
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

/** One sentence for people, and no trace of the program. */
export function expectSentence({ stdout, stderr }: CliResult, says: string): void {
  const text = stdout + stderr
  expect(text).toContain(says)
  expect(text).not.toMatch(/Something unexpected|\.[jt]s:\d+|^\s+at /m)
  expect(text).not.toMatch(UNSAFE)
}

/** Tests of a table: each attack changes nothing, and each different control succeeds. */
export function testAttacks(attacks: readonly InstallAttack[]): void {
  it.each(attacks)('is refused, and nothing is installed: $name', async (attack) => {
    const { prepare, says, isPending = false } = attack
    const project = createHostileProject()
    const line = await prepare(project, true)
    const before = listProjectFiles(project)
    const result = await project.run(line)
    expectSentence(result, says)
    expect(result.code).toBeGreaterThan(0)
    const after = listProjectFiles(project)
    expect(after.filter((each) => !isPending || !each.includes('/pending/'))).toEqual(before)
  })

  const controls = attacks.filter(
    ({ control }, at) =>
      control === undefined || attacks.findIndex((each) => each.control === control) === at,
  )
  it.each(controls)('is accepted without the fault: $name', async ({ prepare }) => {
    const project = createHostileProject()
    const line = await prepare(project, false)
    const before = listProjectFiles(project)
    const { code, stdout, stderr } = await project.run(line)
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    expect(listProjectFiles(project)).not.toEqual(before)
  })
}

/** The archive of a skill. */
export async function packTree(tree: Tree): Promise<Buffer> {
  const files = Object.entries(tree).map(([path, content]) => ({
    path,
    isExecutable: false,
    bytes: Buffer.from(content as string),
  }))
  return Buffer.from(await writeArchive('tar.gz', files, { folder: '' }))
}
