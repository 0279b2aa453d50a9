import { expect, describe, it } from 'vitest'
import { EXAMPLE_SKILL } from '../../../../src/core/lint/example-skill.ts'
import { LineIndex } from '../../../../src/util/line-index.ts'
import { once } from '../../../../src/util/once.ts'
import { lintFolder } from '../../../helpers/rule-examples.ts'
import { createFolder } from '../../../helpers/skills.ts'
import {
  JAVASCRIPT_FAULTS,
  PYTHON_FAULTS,
  SHELL_FAULTS,
  TYPESCRIPT_FAULTS,
  type PlantedFault,
} from './planted-faults.ts'

const FAULTS: readonly (readonly [string, PlantedFault])[] = Object.entries({
  JavaScript: JAVASCRIPT_FAULTS,
  TypeScript: TYPESCRIPT_FAULTS,
  shell: SHELL_FAULTS,
  Python: PYTHON_FAULTS,
}).flatMap(([language, faults]) =>
  Object.entries(faults).map(([name, fault]) => [`${name} in ${language}`, fault] as const),
)

/** Findings of all faults, from one lint: one per fault would start Python as often. */
const lintAll = once(async () => {
  const files = FAULTS.flatMap(([, fault], at) =>
    Object.entries({ ...EXAMPLE_SKILL, ...fault.files }).flatMap(([path, text]) => {
      const isOwn = path in fault.files || path === 'SKILL.md'
      return isOwn ? [[`case-${at}/${path}`, text.replace('»', '')]] : []
    }),
  )
  return await lintFolder(createFolder(Object.fromEntries(files)), {
    rules: { 'naming/duplicate-skill': 'off' },
  })
})

function locateMark(files: PlantedFault['files']) {
  const [file, text = ''] = Object.entries(files).find(([, each]) => each.includes('»')) ?? ['']
  const { line, column } = new LineIndex(text).positionAt(text.indexOf('»'))
  return { file, line, column }
}

describe('a planted fault', () => {
  it.each(FAULTS.map(([name, fault], at) => [name, { fault, at }] as const))(
    '%s is found at its place, and nothing else is an error',
    async (_, { fault, at }) => {
      const { findings, failures } = await lintAll()
      expect(failures).toEqual([])
      const own = findings.filter(({ skill }) => skill.endsWith(`/case-${at}`))
      const errors = own.filter(({ severity, rule }) => severity === 'error' || rule === fault.rule)
      const { file, line, column } = locateMark(fault.files)
      expect(
        errors.map((each) => ({ rule: each.rule, file: each.file, ...each.start })),
        errors.map(({ message }) => message).join('\n'),
      ).toEqual([{ rule: fault.rule, file, line, column }])
      expect(errors[0]?.message).toMatch(fault.message)
      expect(errors[0]?.help).toBeTruthy()
    },
  )
})
