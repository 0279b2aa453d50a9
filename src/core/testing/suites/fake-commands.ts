import type { Plain } from '../../skills/manifest/manifest.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import {
  countField,
  isTable,
  listField,
  mapField,
  requiredField,
  tableField,
  textField,
  type Field,
} from '../document/field.ts'
import type { Place } from '../document/problems.ts'
import { createSetupFile, RESERVED_FOLDER, type SetupFile } from './setup-files.ts'

/** The answer of a fake command to a call. */
interface FakeAnswer {
  stdout?: string | undefined
  stderr?: string | undefined
  exit_code?: number | undefined
}

/** A command of PATH that records its calls and prints fixed texts. */
export interface FakeCommand extends FakeAnswer {
  /** Answers to calls that begin with these arguments; the first that fits counts. */
  answers?: readonly (FakeAnswer & { args?: readonly string[] | undefined })[] | undefined
}

/** Folders of fake commands, below the workspace. */
export const FAKE_FOLDER = `${RESERVED_FOLDER}/bin`
export const CALLS_FILE = `${RESERVED_FOLDER}/calls`

const ANSWER_FIELDS = {
  stdout: textField('Text that it prints to standard output'),
  stderr: textField('Text that it prints to standard error'),
  exit_code: countField('Exit code (default: 0)'),
}

const fakeField = tableField('A fake command', {
  ...ANSWER_FIELDS,
  answers: listField(
    'Answers to calls that begin with certain arguments',
    tableField('An answer', {
      args: requiredField(listField('The first arguments', textField('An argument'))),
      ...ANSWER_FIELDS,
    }),
  ),
})

const fakesByName = mapField('Fake commands, first on PATH, by name', fakeField)

export const fakesField: Field<Map<string, FakeCommand>> = {
  ...fakesByName,
  read(value: Plain, place: Place) {
    for (const name of isTable(value) ? Object.keys(value) : []) {
      if (/^[\w.+-]+$/.test(name) && !/^\.+$/.test(name)) continue
      place.at(name).refuse(`"${name}" is not a name of a command`, { what: 'key' })
    }
    return fakesByName.read(value, place)
  },
}

/** Builds the scripts of fake commands. */
export function buildFakeScripts(
  fakes: ReadonlyMap<string, FakeCommand>,
  workspace: string,
): Map<string, SetupFile> {
  return new Map(
    [...fakes].map(([name, fake]) => [
      `${FAKE_FOLDER}/${name}`,
      createSetupFile(Buffer.from(buildScript(name, fake, `${workspace}/${CALLS_FILE}`))),
    ]),
  )
}

/** One printf writes one record, so that records of parallel calls do not mix. */
// eslint-disable-next-line max-params -- the name, the command and the path of its record
function buildScript(name: string, fake: FakeCommand, calls: string): string {
  const { answers = [], ...rest } = fake
  const branches = answers.flatMap(({ args = [], ...answer }) => [
    `if ${buildCondition(args)}; then`,
    ...buildAnswer(answer),
    'fi',
  ])
  const hasDefault = Object.keys(rest).length > 0 || answers.length === 0
  const last = hasDefault
    ? buildAnswer(rest)
    : [`printf 'fake ${name}: no answer for: %s\\n' "$*" >&2`, 'exit 127']
  const record = `printf '%s\\0' ${quoteShellWord(name)} "$#" "$@" >>${quoteShellWord(calls)}`
  return ['#!/bin/sh', record, ...branches, ...last, ''].join('\n')
}

function buildCondition(args: readonly string[]): string {
  const tests = args.map((arg, at) => `[ "\${${at + 1}}" = ${quoteShellWord(arg)} ]`)
  return [`[ "$#" -ge ${args.length} ]`, ...tests].join(' && ')
}

function buildAnswer({ stdout, stderr, exit_code: exitCode = 0 }: FakeAnswer): string[] {
  return [
    ...(stdout === undefined ? [] : [`printf %s ${quoteShellWord(stdout)}`]),
    ...(stderr === undefined ? [] : [`printf %s ${quoteShellWord(stderr)} >&2`]),
    `exit ${exitCode}`,
  ]
}

/** Parses the record of calls: the name, the number of arguments and the arguments, with NUL. */
export function parseCalls(record: Buffer): { command: string; args: string[] }[] {
  const parts = record.toString('utf8').split('\0')
  const calls: { command: string; args: string[] }[] = []
  // The last part follows the last NUL.
  for (let at = 0; at < parts.length - 1;) {
    const count = Number(parts[at + 1])
    if (!Number.isSafeInteger(count) || count < 0) return calls
    calls.push({ command: parts[at] ?? '', args: parts.slice(at + 2, at + 2 + count) })
    at += 2 + count
  }
  return calls
}
