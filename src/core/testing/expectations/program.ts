import type { Plain } from '../../skills/manifest/manifest.ts'
import { isTable, listField, textField } from '../document/field.ts'
import type { CaseRecord } from './case-record.ts'
import { defineExpectation, JudgeError, type Judgement } from './expectation.ts'

export const PROGRAM = defineExpectation({
  name: 'program',
  summary:
    'A program of the skill that reads the record as JSON and answers {"passed": true, "message": "…"}',
  example: '{ program = ["tests/judge.py"] }',
  field: listField('The program and its arguments', textField('A word')),
  needs: () => ['workspace', 'blobs'],
  async judge(program, record, context) {
    const run = await context.runProgram(program, JSON.stringify(describeRecord(record)))
    return readVerdict(program[0] ?? '', run)
  },
})

/** The record as JSON: paths of files without their content, and blobs without their bytes. */
function describeRecord(record: CaseRecord): Plain {
  const { files, blobs, secrets, ...rest } = record
  const { created, changed, deleted, untouched } = files
  return JSON.parse(
    JSON.stringify({
      ...rest,
      files: { created, changed, deleted, untouched },
      texts: Object.fromEntries(
        [...created, ...changed].map((path) => [path, files.read(path)?.toString('utf8')]),
      ),
      blobs: blobs.map(({ kind, sizeBytes }) => ({ kind, size_bytes: sizeBytes })),
      secrets: [...secrets.keys()],
    }),
  ) as Plain
}

function readVerdict(name: string, { exitCode, stdout, stderr, error }: CaseRecord): Judgement {
  const expected = `"${name}" to accept the record`
  let answer: Plain | undefined
  try {
    answer = JSON.parse(stdout) as Plain
  } catch {
    answer = undefined
  }
  if (exitCode === 0 && isTable(answer) && typeof answer['passed'] === 'boolean') {
    const { passed, message } = answer
    return { isMet: passed, expected, ...(typeof message === 'string' && { got: message }) }
  }
  const reason =
    stderr.trim().split('\n').at(-1) || error?.message || JSON.stringify(stdout.slice(0, 200))
  throw new JudgeError(`"${name}" must print {"passed": true} or {"passed": false}: ${reason}`)
}
