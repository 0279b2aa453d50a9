import type { FixedValues } from '../../runs/job.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { SkillLanguageName } from '../../skills/manifest/skill-languages.ts'
import type { TextPosition } from '../../../util/line-index.ts'
import type { SuiteProblem } from '../document/problems.ts'
import type { FakeCommand } from './fake-commands.ts'
import type { SetupFile } from './setup-files.ts'
import type { Expectation } from '../expectations/expectation.ts'

/** The cases of one file. */
export interface Suite {
  name: string
  /** Absolute path of the file. */
  file: string
  /** Absolute path of the skill's folder. */
  skill: string
  cases: readonly TestCase[]
}

/** One case: a run, and expectations on its record. */
export interface TestCase {
  /** Unique in its suite. */
  name: string
  /** Place in the file, computed when it is read: finding it needs a slower parser. */
  readonly position: TextPosition
  tags: readonly string[]
  action: CaseAction
  /** Milliseconds; undefined for the configured time limit. */
  timeoutMs: number | undefined
  /** Undefined for the configured memory limit. */
  memoryBytes?: number | undefined
  fixed: FixedValues
  /** Files that the workspace has at the start: contents by path. */
  files: ReadonlyMap<string, SetupFile>
  /** Files that are stored as blobs, by the arguments that get their ids. */
  blobs: ReadonlyMap<string, string>
  /** Commands that are first on PATH, by name. */
  fakes: ReadonlyMap<string, FakeCommand>
  /** Fake values by the names that the skill declares. Real secrets never reach a case. */
  secrets: ReadonlyMap<string, string>
  /** `true`: the cassette with the name of the case. A text: its path, relative to the suite. */
  cassette?: true | string | undefined
  expectations: readonly Expectation[]
}

/** The action of a case. Each kind has a performer in `kinds/`. */
export type CaseAction = SkillAction | CodeAction | CommandAction | ConversationAction

export interface SkillAction {
  kind: 'skill'
  args: PlainObject
}

export interface CodeAction {
  kind: 'code'
  language: SkillLanguageName
  code: string
  entrypoint: string | undefined
  /** Skills to mount: `.` is the tested one, others are folders relative to it, or names. */
  mounts: readonly string[]
  args: PlainObject
}

/** A shell command in the folder of the skill, as an agent runs it. */
export interface CommandAction {
  kind: 'command'
  command: string
  stdin: string | undefined
}

/** Answers of a scripted model to an agent that has the skill. */
export interface ConversationAction {
  kind: 'conversation'
  turns: readonly ScriptedTurn[]
  /** A profile, or names of tools. */
  tools: string | readonly string[]
  /** Skills that the agent can see, as those of `CodeAction`. */
  mounts: readonly string[]
}

/** One answer of the scripted model. */
export interface ScriptedTurn {
  /** Message of the user before the answer. */
  user: string | undefined
  text: string
  calls: readonly ScriptedCall[]
}

export interface ScriptedCall {
  tool: string
  args: PlainObject
}

/** A file with its cases, or with its mistakes. */
export type SuiteFile =
  | { suite: Suite; problems: readonly [] }
  | { suite: undefined; problems: readonly SuiteProblem[] }
